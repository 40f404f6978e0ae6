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
    order, omitted = best(list(dict.fromkeys(frame["bot"])), GRID)
    count = len(order)
    if count < 2:
        return Nothing("fewer than two bots are rated")
    grid = 100 * frame.pivot_table(index="bot", columns="opponent", values="chance").reindex(index=order, columns=order)
    values = grid.to_numpy(dtype=np.float64, copy=True)
    values[np.tril_indices(count)] = np.nan
    side = 0.42 if count <= NUMBERED else 0.24 if count <= 24 else 0.165
    names = tuple(about.labels(order))
    figure, (panel,) = sheet(
        about.title("who is surely better"),
        f"Chance in per cent that the bot in the row is stronger than the one in the column; 50 = open{omitted}",
        [Panel(names=names[:-1])],
        wide=side * (count - 1),
        high=side,
        space=Space(below=widest(names, row_size(count)) + 0.12, top=0.36 if count > NUMBERED else 0),
    )
    cells(panel, values[:-1, 1:], least=50)
    panel.set_xticks(range(count - 1), names[1:], rotation=90, fontsize=row_size(count))
    if count > NUMBERED:
        scale(panel, 50, 100)
    return figure
