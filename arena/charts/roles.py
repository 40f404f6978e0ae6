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
    rankings = frame.fillna({"role": "all roles"})
    entries = about.by_role(rankings, ["bot", "rank", "score"])
    if len(entries) == 1:
        return Nothing("one board with one role: its ranking is the leaderboard")
    panels = []
    tables = []
    longest: list[str] = []  # of the lists of bots
    for board, role, rows in entries:
        longest = max(longest, list(rows["bot"]), key=len)
        table = rows.head(MOST)
        tables.append(table)
        labels = about.labels(table["bot"])
        names = []
        for rank, label in zip(table["rank"], labels, strict=True):
            # The mark U+200E keeps the rank before a name that is written from right to left.
            names.append(f"\u200e{rank} {label}")
        scores = [rounded_text(score, 0) for score in table["score"]]
        texts = Panel(
            heading=(board, role),
            names=tuple(names),
            columns={"score": scores},
        )
        panels.append(texts)
    _, omitted = best(longest, MOST)
    # Strengths of one game can be compared, those of two games cannot: each has an axis of its own.
    every_row = pd.concat(tables)
    parts_of_label = every_row["board"].str.partition("/")
    every_row["game"] = parts_of_label[0]
    axes_ends = {}
    beyond = ""
    for game, rows in every_row.groupby("game"):
        axis, note = ends(rows["strength"], rows["low"], rows["high"])
        axes_ends[game] = axis
        beyond = beyond or note
    unit = ""
    if about.unit:
        unit = f" in {about.unit},"
    figure, axes = sheet(
        about.title("who is best where"),
        f"Strength on the board, and in each role,{unit} with its 95 % interval"
        f"{beyond}; beside it the mean score, 0 to 100{omitted}",
        panels,
        wide=1.5,
        columns=3,
        space=Space(between=0.3),
    )
    for panel, (board, _, _), table in zip(axes, entries, tables, strict=True):
        game, _, _ = board.partition("/")
        intervals(
            panel,
            table["strength"],
            table["low"],
            table["high"],
            axes_ends[game],
        )
        panel.grid(axis="x")
        panel.xaxis.set_major_locator(MaxNLocator(nbins=3))
        panel.tick_params(axis="x", labelsize=SMALL)
    return figure
