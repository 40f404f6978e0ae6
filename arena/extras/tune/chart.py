"""A tuning: the best values of each parameter after each step."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.sheet import Panel, sheet
from arena.extras.tune import history
from arena.results.leaderboard import Results

COLUMNS = ["parameter", "step", "value", "difference"]


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `parameter` and `step`.

    It has the best `value` by then, and the `difference` of the step.
    """
    tuning = history.read(results.folder)
    rows: list[tuple[str, int, float, float]] = []
    if tuning is None:
        return pd.DataFrame(rows, columns=COLUMNS)
    for name, start in tuning.start.items():
        rows.append((name, 0, start, 0.0))
        for number, step in enumerate(tuning.steps, 1):
            value = step.guess[name]
            rows.append((name, number, value, step.difference))
    return pd.DataFrame(rows, columns=COLUMNS)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a parameter: its best value after each step."""
    if frame.empty:
        return Nothing("nothing was tuned")
    names = list(frame["parameter"].unique())
    panels = [Panel(heading=name, names=()) for name in names]
    figure, axes = sheet(
        about.title("how the values were found"),
        "Best value after each step",
        panels,
        wide=4.0,
    )
    for panel, name in zip(axes, names, strict=True):
        way = frame[frame["parameter"] == name]
        panel.plot(way["step"], way["value"], drawstyle="steps-post")
        panel.set_xlabel("step")
    return figure
