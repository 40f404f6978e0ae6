"""The chance that one bot is stronger than another, for every pair of bots."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.grids import grids
from arena.charts.style.sheet import GRID, best
from arena.results.columns import chance_text
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `opponent`, best first.

    The `chance`, 0 to 1, is that of the bot to be the stronger one.
    """
    return results.chance_better()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw the half of a grid in which the better bots are in the rows; dark cells are sure."""
    panels = []
    note = ""
    for heading, table in about.by_game(frame):
        bots = list(dict.fromkeys(table["bot"]))
        order, omitted = best(bots, GRID)
        if len(order) < 2:
            continue
        chances = table.pivot_table(
            index="bot",
            columns="opponent",
            values="chance",
        )
        chances = chances.reindex(index=order, columns=order)
        per_cent = 100 * chances  # (bots, bots)
        everywhere = np.ones(per_cent.shape, dtype=bool)
        above_diagonal = np.triu(everywhere, 1)
        upper = per_cent.where(above_diagonal)
        # The first column and the last row have no cell above the diagonal.
        upper = upper.iloc[:-1, 1:]  # (bots - 1, bots - 1)
        panels.append((heading, upper))
        note = note or omitted
    if not panels:
        return Nothing("fewer than two bots are rated")
    figure, _ = grids(
        about,
        "who is surely better",
        "Chance in per cent that the bot in the row is stronger than the one in the column; "
        f"50 = open{note}",
        panels,
        text=lambda percent: chance_text(percent / 100),
    )
    return figure
