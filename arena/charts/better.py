"""The chance that one bot is stronger than another, for every pair of bots."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.markers import NUMBERED, cells, scale
from arena.charts.style.sheet import GRID, Space, best, row_size, rows, sheet
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `opponent`, best first: the `chance`, 0 to 1, that the bot is stronger."""
    return results.chance_better()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a grid: a dark cell, where the bot in the row is surely stronger than that in the column."""
    order, omitted = best(list(dict.fromkeys(frame["bot"])), GRID)
    if len(order) < 2:
        return Nothing("fewer than two bots are rated")
    frame = frame[frame["bot"].isin(order) & frame["opponent"].isin(order)]
    grid = 100 * frame.pivot_table(index="bot", columns="opponent", values="chance").reindex(index=order, columns=order)
    values = grid.to_numpy(dtype=np.float64, copy=True)
    np.fill_diagonal(values, np.nan)
    count = len(order)
    size, side = row_size(count), 0.42 if count <= NUMBERED else 0.24 if count <= 24 else 0.165
    names = about.labels(order)
    label_inches = widest(names, size) + 0.12
    high = side * count
    figure, (panel,) = sheet(
        about.title("who is surely better"),
        f"Chance in per cent that the bot in the row is stronger than the bot in the column{omitted}",
        (max(1.2, high), high),
        space=Space(left=label_inches, below=label_inches, above=0.1, top=0.36 if count > NUMBERED else 0),
    )
    cells(panel, values, most=100)
    rows(panel, names)
    panel.set_xticks(range(count), names, rotation=90, fontsize=size)
    if count > NUMBERED:
        scale(panel, (0, 1 + 0.3 / high, 1.6 / high, 0.09 / high), 100, "")
    return figure
