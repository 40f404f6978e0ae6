"""Mean score of every bot against every other, a panel for each board and role."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from arena.charts.style import GREY, axes, figure, shown
from arena.leaderboard import Results

COLUMNS = 3
NUMBERED = 24  # bots; with more of them a cell is too small for its number
COLOURS = ScalarMappable(Normalize(0, 100), "cividis")


def draw(results: Results) -> Figure:
    """Heat maps: rows play the panel's role, columns are their opponents. Boards for one bot have no panel."""
    tables = {place: table for place in results.places if len(table := results.crosstable(*place))}
    most = max((max(table["bot"].nunique(), table["opponent"].nunique()) for table in tables.values()), default=2)
    side = min(8.5, 1.6 + 0.32 * most)
    columns = max(1, min(COLUMNS, len(tables)))
    rows = -(-len(tables) // columns) or 1
    made = figure(
        max(6.5, columns * (side + 0.7)),
        rows * (side + 0.6) + 0.9,
        f"{results.event.name}: who beats whom",
        "Mean score, 0 to 100, of the bot in a row in the panel's role, against the bot in a column",
    )
    panels = axes(made, rows, columns)
    order = [one.bot for one in results.standings]
    for panel, ((board, role), table) in zip(panels, tables.items(), strict=False):
        _heat(panel, table, order)
        panel.set_title(" · ".join(shown([results.columns[board], role])), loc="left", fontsize=10)
    for panel in panels[len(tables) :]:
        panel.set_axis_off()
    if not tables:
        panels[0].text(0, 0.9, "No two bots met: on these boards each plays alone.", color=GREY)
    elif most > NUMBERED:
        made.colorbar(COLOURS, ax=panels, shrink=0.3, aspect=30, pad=0.01).outline.set_visible(False)
    return made


def _heat(panel: Axes, table: pd.DataFrame, order: list[str]) -> None:
    """One panel: rows and columns are only those bots that have a cell in it, best first."""
    grid = table.pivot_table(index="bot", columns="opponent", values="score")
    grid = grid.reindex(index=[bot for bot in order if bot in grid.index])
    grid = grid[[bot for bot in order if bot in grid.columns]]
    panel.imshow(grid, cmap=COLOURS.get_cmap(), vmin=0, vmax=100, aspect="equal")
    many = max(grid.shape)
    if many <= NUMBERED:
        _number(panel, grid.to_numpy(), 8 if many <= 12 else 6)
    panel.set_xticks(range(grid.shape[1]), shown(grid.columns), rotation=90, fontsize=8.5)
    panel.set_yticks(range(grid.shape[0]), shown(grid.index), fontsize=8.5)
    panel.tick_params(length=0)
    panel.set_facecolor("#F3F4F6")
    for spine in panel.spines.values():
        spine.set_visible(False)


def _number(panel: Axes, grid: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", size: int) -> None:
    """Each cell's score, in the ink that its colour lets be read."""
    for (row, column), score in np.ndenumerate(grid):
        if not np.isnan(score):
            ink = "white" if score < 55 else "black"
            panel.text(column, row, f"{score:.0f}", ha="center", va="center", color=ink, fontsize=size)
