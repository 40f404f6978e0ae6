"""How good the moves of each bot are: accuracy on solved boards, else an estimated regret."""

from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import ACCURACY, PALE, About, Nothing, styled
from arena.charts.style.sheet import ROWS, Panel, Space, best, sheet
from arena.results.columns import LEADERBOARD
from arena.results.leaderboard import Results

PANELS = {
    "accuracy": (
        103.0,
        "accuracy",
        "per cent, on solved boards",
        ("accuracy", "rating", "blunders"),
    ),
    "regret_estimate": (
        0.0,
        "regret",
        "points a match, by a search",
        ("regret_estimate", "rating"),
    ),
}
"""Of each column: the end of its axis, heading, unit, figures beside it.

An axis whose end is 0 ends where its figures end.
"""


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `game` and `bot`.

    It has the `rating`, the `accuracy` in per cent, the `blunders` and the `regret_estimate`.
    """
    columns = ["game", "bot", "rating", "accuracy", "blunders", "regret_estimate"]
    return results.leaderboard().reindex(columns=columns).dropna(subset="game")


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot in order of rating, with a point at its accuracy or regret.

    Only bots whose moves were judged have a row.
    Where the moves say what the rating says, accuracy falls and regret grows from row to row.
    """
    declared = LEADERBOARD.rated_in(about.unit)
    panels, tables, omitted = [], [], ""
    for (heading, rows), (name, (_, title, unit, figures)) in product(
        about.by_game(frame), PANELS.items()
    ):
        judged = rows.dropna(subset=["rating", name]).sort_values(
            "rating", ascending=False, kind="stable"
        )
        if judged.empty:
            continue
        bots, omitted = best(list(judged["bot"]), ROWS)
        tables.append((name, judged.iloc[: len(bots)]))
        columns = {
            figure.removesuffix("_estimate"): list(
                map(declared[figure].printed, judged[figure].head(ROWS))
            )
            for figure in figures
        }
        label = (": ".join((*heading, title)), unit)
        panels.append(Panel(heading=label, names=tuple(about.labels(bots)), columns=columns))
    if not panels:
        return Nothing("no move that could be judged")
    figure, axes = sheet(
        about.title("how good the moves are"),
        "The best bot by rating on top. "
        f"A regret is estimated by a search, an accuracy is exact{omitted}",
        panels,
        wide=2.0,
        columns=2,
        space=Space(between=0.4),
    )
    for panel, (name, table) in zip(axes, tables, strict=True):
        at = range(len(table))
        panel.hlines(at, 0, table[name], color=PALE, linewidth=1.4, zorder=2)
        panel.scatter(table[name], at, s=26, color=ACCURACY, zorder=3)
        panel.set_xlim(0, PANELS[name][0] or 1.05 * max(1, table[name].max()))
        panel.grid(axis="x")
    return figure
