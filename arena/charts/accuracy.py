"""How good moves are: accuracy on solved boards, and points thrown away on others (an estimate)."""

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
    columns = [
        "game",
        "bot",
        "rating",
        "accuracy",
        "blunders",
        "regret_estimate",
    ]
    table = results.leaderboard().reindex(columns=columns)
    return table.dropna(subset="game")


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot in order of rating, with a point at its accuracy or regret.

    Only bots whose moves were judged have a row. Where the moves say what the rating says, accuracy
    falls and regret grows from row to row.
    """
    declared = LEADERBOARD.rated_in(about.unit)
    panels = []
    tables = []
    note = ""
    for heading, rows in about.by_game(frame):
        for name, (_, title, unit, figures) in PANELS.items():
            judged = rows.dropna(subset=["rating", name])
            judged = judged.sort_values("rating", ascending=False, kind="stable")
            if judged.empty:
                continue
            bots, note = best(list(judged["bot"]), ROWS)
            judged = judged.head(ROWS)
            columns = {}
            for column in figures:
                head = column.removesuffix("_estimate")
                printed = map(declared[column].printed, judged[column])
                columns[head] = list(printed)
            label = ": ".join((*heading, title))
            panel_texts = Panel(
                heading=(label, unit),
                names=tuple(about.labels(bots)),
                columns=columns,
            )
            panels.append(panel_texts)
            tables.append((name, judged))
    if not panels:
        return Nothing("no move that could be judged")
    figure, axes = sheet(
        about.title("how good the moves are"),
        "The best bot by rating on top. "
        f"A regret is estimated by a search, an accuracy is exact{note}",
        panels,
        wide=2.0,
        columns=2,
        space=Space(between=0.4),
    )
    for panel, (name, table) in zip(axes, tables, strict=True):
        row = range(len(table))
        figures_of_bots = table[name]
        panel.hlines(
            row,
            0,
            figures_of_bots,
            color=PALE,
            linewidth=1.4,
            zorder=2,
        )
        panel.scatter(
            figures_of_bots,
            row,
            s=26,
            color=ACCURACY,
            zorder=3,
        )
        end, _, _, _ = PANELS[name]
        if not end:
            end = 1.05 * max(1, figures_of_bots.max())
        panel.set_xlim(0, end)
        panel.grid(axis="x")
    return figure
