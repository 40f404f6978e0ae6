"""The chance that one bot is stronger than another, for every pair of bots."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.markers import NUMBERED, cells, scale
from arena.charts.style.sheet import GRID, Panel, Space, best, row_size, sheet
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `opponent`, best first: the `chance`, 0 to 1, that the bot is stronger."""
    return results.chance_better()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw the half of a grid in which the better bots are in the rows: a dark cell, where that is sure."""
    grids, omitted = {}, ""
    for heading, table in about.by_game(frame):
        order, left_out = best(list(dict.fromkeys(table["bot"])), GRID)
        grid = 100 * table.pivot_table(index="bot", columns="opponent", values="chance")
        if len(order) > 1:
            grids[heading], omitted = grid.reindex(index=order, columns=order), omitted or left_out
    if not grids:
        return Nothing("fewer than two bots are rated")
    most = max(map(len, grids.values()))
    side = 0.42 if most <= NUMBERED else 0.24 if most <= 24 else 0.165
    labels = {heading: tuple(about.labels(grid.index)) for heading, grid in grids.items()}
    below = widest([name for names in labels.values() for name in names], row_size(most))
    figure, axes = sheet(
        about.title("who is surely better"),
        f"Chance in per cent that the bot in the row is stronger than the one in the column; 50 = open{omitted}",
        [Panel(heading=heading, names=names[:-1]) for heading, names in labels.items()],
        wide=side * (most - 1),
        high=side,
        columns=2,
        space=Space(below=below + 0.12, top=0.36 if most > NUMBERED else 0),
    )
    for panel, (heading, grid) in zip(axes, grids.items(), strict=True):
        values = grid.to_numpy(dtype=np.float64, copy=True)
        values[np.tril_indices(len(grid))] = np.nan
        cells(panel, values[:-1, 1:], least=50)
        panel.set_xlim(-0.5, most - 1.5)
        panel.set_xticks(range(len(grid) - 1), labels[heading][1:], rotation=90, fontsize=row_size(most))
    if most > NUMBERED:
        scale(axes[0], 50, 100)
    return figure
