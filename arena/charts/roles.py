"""A ranking for each board and each role, the best bot on top: its strength and its mean score."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import SMALL, About, Nothing, styled
from arena.charts.style.markers import ends, intervals
from arena.charts.style.sheet import Panel, Space, best, sheet
from arena.results.columns import rounded_text
from arena.results.leaderboard import Results

MOST = 20  # bots of a ranking that are drawn


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role` (missing: all) and `bot`, best first.

    It has the `rank`, the `strength` with `low` and `high`, and the mean `score`.
    """
    return results.rankings()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a board and role, its bots by rank.

    A row has the strength with its 95 % interval, and the mean score.
    """
    if not len(frame):
        return Nothing("no matches")
    entries = about.by_role(frame.fillna({"role": "all roles"}), ["bot", "rank", "score"])
    if len(entries) == 1:
        return Nothing("one board with one role: its ranking is the leaderboard")
    _, omitted = best(max((list(table["bot"]) for *_, table in entries), key=len), MOST)
    tables = [table.head(MOST) for *_, table in entries]
    # The mark U+200E keeps the rank before a name that is written from right to left.
    panels = [
        Panel(
            heading=(board, role),
            names=tuple(
                f"\u200e{rank} {label}"
                for rank, label in zip(table["rank"], about.labels(table["bot"]), strict=True)
            ),
            columns={"score": [rounded_text(score, 0) for score in table["score"]]},
        )
        for (board, role, _), table in zip(entries, tables, strict=True)
    ]
    # Strengths of one game can be compared, those of two games cannot: each has an axis of its own.
    every_row = pd.concat(tables).assign(game=lambda rows: rows["board"].str.partition("/")[0])
    axes_ends = {
        game: ends(own["strength"], own["low"], own["high"])
        for game, own in every_row.groupby("game")
    }
    beyond = max((note for _, note in axes_ends.values()), key=len)
    figure, axes = sheet(
        about.title("who is best where"),
        "Strength on the board, and in each role,"
        f"{f' in {about.unit},' if about.unit else ''} with its 95 % interval"
        f"{beyond}; beside it the mean score, 0 to 100{omitted}",
        panels,
        wide=1.5,
        columns=3,
        space=Space(between=0.3),
    )
    for panel, (board, *_), table in zip(axes, entries, tables, strict=True):
        intervals(
            panel,
            table["strength"],
            table["low"],
            table["high"],
            axes_ends[board.partition("/")[0]][0],
        )
        panel.grid(axis="x")
        panel.xaxis.set_major_locator(MaxNLocator(nbins=3))
        panel.tick_params(axis="x", labelsize=SMALL)
    return figure
