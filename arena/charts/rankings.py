"""A ranking for each board and each role, the best bot on top."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import GREY, SMALL, About, Nothing, styled
from arena.charts.style.gap import GAP_NOTE, gap_in
from arena.charts.style.letters import shown, widest
from arena.charts.style.markers import extent, intervals
from arena.charts.style.sheet import Space, bare, best, heading, row_height, row_size, rows, sheet
from arena.results.leaderboard import Results

COLUMNS = 3
WIDE = 1.9  # inches of a panel
TITLE = 24  # letters that fit over a panel
MOST = 20  # bots of a ranking that are drawn


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role` (missing: all) and `bot`, best first: `rank`, `strength`, `low`, `high`."""
    return results.rankings()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a board and role, its bots by rank, each strength with its 95 % interval."""
    if not len(frame):
        return Nothing("no matches")
    tables = [table for _, table in frame.groupby(["board", "role"], sort=False, dropna=False)]
    if len(tables) == 1:
        return Nothing("one board with one role: its ranking is the leaderboard")
    _, omitted = best(max((list(table["bot"]) for table in tables), key=len), MOST)
    tables = [table.head(MOST) for table in tables]
    bots = list(dict.fromkeys(bot for table in tables for bot in table["bot"]))
    label = dict(zip(bots, about.labels(bots), strict=True))
    # The mark U+200E keeps the rank before a name that is written from right to left.
    names = [
        [f"\u200e{rank} {label[bot]}" for rank, bot in zip(table["rank"], table["bot"], strict=True)]
        for table in tables
    ]
    most = max(map(len, tables))
    label_inches = max(widest(labels, row_size(most)) for labels in names) + 0.12
    columns = min(COLUMNS, len(tables))
    every_row = pd.concat(tables)
    gap = gap_in(every_row["strength"], every_row["low"], every_row["high"])
    figure, panels = sheet(
        about.title("who is best where"),
        f"Strength on the board, and in each role,{f' in {about.unit},' if about.unit else ''} with its 95 % interval"
        f"{GAP_NOTE if gap else ''}{omitted}",
        (WIDE, row_height(most) * most),
        grid=(-(-len(tables) // columns), columns),
        space=Space(left=label_inches, right=0.15, between=label_inches + 0.15, above=0.42, below=0.3),
    )
    low, high = extent(every_row["strength"], every_row["low"], every_row["high"])
    slack = 0.05 * (high - low or 1)
    for number, panel in enumerate(panels):
        if number >= len(tables):
            panel.set_axis_off()
            continue
        table = tables[number]
        role = table["role"].iloc[0]
        intervals(panel, table["strength"], table["low"], table["high"])
        bare(panel)
        panel.set(xlim=(low - slack, high + slack))
        panel.xaxis.set_major_locator(MaxNLocator(nbins=3))
        panel.tick_params(axis="x", labelsize=SMALL, labelcolor=GREY)
        if gap:
            gap.mark(panel, "x", nbins=2)
        heading(panel, *shown([about.board(table["board"].iloc[0]), "all roles" if pd.isna(role) else role], TITLE))
        rows(panel, names[number])
        panel.set_ylim(most - 0.5, -0.5)  # rows of one height in all panels
    return figure
