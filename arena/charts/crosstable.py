"""Mean score of every bot against every other, a panel for each board and role."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import axes, figure, shown
from arena.leaderboard import Results

COLUMNS = 3


def draw(results: Results) -> Figure:
    """Heat maps: rows play the panel's role, columns are their opponents."""
    order = [one.bot for one in results.standings if one.rank is not None]
    places = list(results.places.items())
    tables = [results.crosstable(*place) for place, _ in places]
    most = max((max(table["bot"].nunique(), table["opponent"].nunique()) for table in tables), default=2)
    side = min(7.5, 1.6 + 0.32 * most)
    columns = min(COLUMNS, len(places))
    rows = -(-len(places) // columns)
    made = figure(
        max(6.5, columns * (side + 0.7)),
        rows * (side + 0.6) + 0.9,
        f"{results.event.name}: who beats whom",
        "Mean score, 0 to 100, of the bot in a row in the panel's role, against the bot in a column",
    )
    panels = axes(made, rows, columns)
    for panel, table, (_, column) in zip(panels, tables, places, strict=False):
        _heat(panel, table, order)
        panel.set_title(column.replace("_", " · ", 1), loc="left", fontsize=10)
    for panel in panels[len(places) :]:
        panel.set_visible(False)
    return made


def _heat(panel: Axes, table: pd.DataFrame, order: list[str]) -> None:
    """One panel: rows and columns are only those bots that have a cell in it, best first."""
    bots = [bot for bot in order if bot in set(table["bot"])]
    opponents = [bot for bot in order if bot in set(table["opponent"])]
    grid = np.full((max(1, len(bots)), max(1, len(opponents))), np.nan)
    for bot, opponent, score in zip(table["bot"], table["opponent"], table["score"], strict=True):
        grid[bots.index(bot), opponents.index(opponent)] = score
    panel.imshow(grid, cmap="cividis", vmin=0, vmax=100, aspect="equal")
    size = 8 if max(grid.shape) <= 12 else 5.5
    if max(grid.shape) <= 24:
        for (row, column), score in np.ndenumerate(grid):
            if not np.isnan(score):
                colour = "white" if score < 55 else "black"
                panel.text(column, row, f"{score:.0f}", ha="center", va="center", color=colour, fontsize=size)
    small = 8.5 if max(grid.shape) <= 20 else 6
    panel.set_xticks(range(len(opponents)), shown(opponents), rotation=90, fontsize=small)
    panel.set_yticks(range(len(bots)), shown(bots), fontsize=small)
    panel.tick_params(length=0)
    panel.set_facecolor("#F3F4F6")
    for spine in panel.spines.values():
        spine.set_visible(False)
