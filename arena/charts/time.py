"""Time per move beside the time limit. No other chart is made of clock readings."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from arena.charts.style import (
    FAINT,
    GREY,
    INK,
    LONGEST_TIME,
    MEDIAN_TIME,
    P99_TIME,
    About,
    Nothing,
    styled,
)
from arena.charts.style.sheet import ROWS, Panel, Space, best, legend, sheet
from arena.results.leaderboard import Results

MARKERS = {
    "wall_p50": ("median", MEDIAN_TIME, "o", 1.0),
    "wall_p99": ("99 % are faster", P99_TIME, "D", 0.6),
    "wall_max": ("longest", LONGEST_TIME, "|", 2.0),
}
SHORTEST_S = 1e-6  # a logarithm has no zero


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot`, `board` and `role`.

    It has `turns`, `timeout`, and `wall_p50` to `wall_max` in seconds.
    """
    timing = results.timing()
    if results.event.imported:
        return timing.iloc[:0]  # nobody measured its answers, also where it lost on time
    return timing


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot, the slowest first, on a logarithmic axis.

    It shows the median, the 99th percentile and the longest wall time of an answer.
    """
    has_answers = frame["turns"] > 0
    has_timeouts = frame["timeout"] > 0
    frame = frame[has_answers | has_timeouts]
    if not len(frame):
        return Nothing("nobody answered")
    by_bot = frame.groupby("bot")
    worst = by_bot[list(MARKERS)].max()  # a row a bot
    worst = worst.clip(lower=SHORTEST_S)
    # The answer that never came took longer than the limit, and than every answer that came.
    beyond = worst["wall_max"].fillna(SHORTEST_S)
    beyond = beyond.clip(lower=about.limit or SHORTEST_S)
    timeouts = by_bot["timeout"].sum()
    worst["late"] = beyond.where(timeouts > 0)
    worst = worst.sort_values(["late", "wall_max"], ascending=False)
    slowest, omitted = best(list(worst.index), ROWS)
    worst = worst.loc[slowest]
    limit = "there is no limit"
    if about.limit is not None:
        limit = f"the limit is {about.limit:g} s"
    figure, (panel,) = sheet(
        about.title("time per move"),
        "Wall time of an answer, on the board and in the role where it took longest; "
        f"{limit}{omitted}",
        [Panel(names=tuple(about.labels(worst.index)))],
        wide=5.4,
        space=Space(right=0.3, top=0.25),
    )
    _markers(panel, worst)
    if about.limit is not None:
        panel.axvline(
            about.limit,
            label="limit",
            color=GREY,
            linewidth=1.2,
            linestyle=(0, (4, 3)),
            zorder=2,
        )
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(duration))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.grid(axis="x")
    legend(panel)
    return figure


def _markers(panel: Axes, worst: pd.DataFrame) -> None:
    """Draw the markers of each bot, a row a bot, joined by a line."""
    row = np.arange(len(worst))
    size = 40
    if len(worst) > 24:
        size = 18
    panel.hlines(
        row,
        worst["wall_p50"].fillna(worst["late"]),
        worst["late"].fillna(worst["wall_max"]),
        color=FAINT,
        linewidth=1.2,
        zorder=1,
    )
    for column, (label, colour, mark, scale) in MARKERS.items():
        panel.scatter(
            worst[column],
            row,
            s=size * scale,
            color=colour,
            label=label,
            marker=mark,
            zorder=3,
            clip_on=False,
        )
    if worst["late"].any():
        panel.scatter(
            worst["late"],
            row,
            s=size,
            color=INK,
            label="lost on time",
            marker="x",
            zorder=4,
            clip_on=False,
        )


def duration(seconds: float, _position: object = None) -> str:
    """Write seconds in the unit that fits."""
    if seconds >= 1:
        return f"{seconds:g} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:g} ms"
    return f"{seconds * 1e6:.0f} µs"
