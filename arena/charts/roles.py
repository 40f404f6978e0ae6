"""Each bot's strength by board and role, side by side."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import GREY, PALE, SMALL, About, Nothing, styled
from arena.charts.style.gap import GAP_NOTE, gap_in
from arena.charts.style.letters import shown, widest
from arena.charts.style.markers import extent, intervals
from arena.charts.style.sheet import MANY, ROWS, Space, bare, best, heading, row_height, row_size, rows, sheet
from arena.results.columns import rounded_text
from arena.results.leaderboard import Results

COLUMNS = 4
WIDE, FIGURE = 1.25, 0.32  # inches of a panel, and of the score beside it
TITLE = 17  # letters that fit over a panel


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role` and `bot`: its `strength` with `low` and `high`, and its mean `score`."""
    scores = [
        (standing.bot, board, role, score)
        for standing in results.standings
        for (board, role), score in standing.roles.items()
    ]
    strengths = results.strengths().set_index(["bot", "board", "role"])
    table = pd.DataFrame(scores, columns=["bot", "board", "role", "score"])
    return table.join(strengths, on=["bot", "board", "role"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a role, a row a bot: its strength with the 95 % interval, the mean score beside it."""
    if not len(frame):
        return Nothing("no matches")
    entries = about.by_role(frame, ["bot", "score"])
    order, omitted = best(about.order(frame["bot"]), ROWS)
    columns = min(COLUMNS if len(order) <= MANY else 2 * COLUMNS, len(entries))
    names, size = about.labels(order), row_size(len(order))
    reaches = frame.groupby("bot").agg({"strength": "mean", "low": "min", "high": "max"})
    gap = gap_in(reaches["strength"], reaches["low"], reaches["high"])
    figure, panels = sheet(
        about.title("strong in which role"),
        f"Strength in the role{f' in {about.unit}' if about.unit else ''}, with its 95 % interval; the line is the"
        f" average bot{GAP_NOTE if gap else ''}. Beside it: mean score, 0 to 100{omitted}",
        (WIDE, row_height(len(order)) * len(order)),
        grid=(-(-len(entries) // columns), columns),
        space=Space(left=widest(names, size) + 0.12, right=FIGURE, between=0.2 + FIGURE, above=0.42, below=0.3),
    )
    reach = extent(frame["strength"], frame["low"], frame["high"])
    slack = 0.05 * (reach[1] - reach[0] or 1)
    for number, panel in enumerate(panels):
        if number >= len(entries):
            panel.set_axis_off()
            continue
        board, role, table = entries[number]
        _panel(panel, table.set_index("bot").reindex(order), size)
        panel.set(xlim=(reach[0] - slack, reach[1] + slack))
        panel.xaxis.set_major_locator(MaxNLocator(nbins=3))
        if gap:
            gap.mark(panel, "x", nbins=2)
        heading(panel, *shown([about.board(board), role], TITLE))
        rows(panel, names, named=number % columns == 0)
    return figure


def _panel(panel: Axes, table: pd.DataFrame, size: float) -> None:
    for row in range(len(table)):
        panel.axhline(row, color=PALE, linewidth=0.6, zorder=0)
    panel.axvline(float(table["strength"].mean()), color=GREY, linewidth=0.8, zorder=1)
    intervals(panel, table["strength"], table["low"], table["high"])
    across = panel.get_yaxis_transform()
    for row, score in enumerate(table["score"]):
        if pd.notna(score):
            panel.text(
                1 + FIGURE / WIDE,
                row,
                rounded_text(score, 0),
                ha="right",
                va="center_baseline",
                transform=across,
                fontsize=size - 0.5,
                color=GREY,
            )
    panel.tick_params(axis="x", labelsize=SMALL, labelcolor=GREY)
    bare(panel)
