"""Bots that beat each other in a circle, so that no order of them is right."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import GREY, About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.markers import NUMBERED, cells, scale
from arena.charts.style.sheet import GRID, Panel, Space, best, row_size, sheet
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `opponent` that it surely beats: its mean `result`, and the `share` of cycles."""
    return results.beaten_in_cycles().merge(results.cycles()[["game", "share"]], on="game")


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a grid a game: in a row the bots that it surely beats; cells on both sides of the diagonal are a cycle."""
    if frame.empty:
        return Nothing("no cycle of bots is proven")
    grids, omitted = {}, ""
    for _, table in about.by_game(frame):
        order, left_out = best(about.order([*table["bot"], *table["opponent"]], f"{table['game'].iloc[0]}/"), GRID)
        grid = table.pivot_table(index="bot", columns="opponent", values="result").reindex(index=order, columns=order)
        share = 100 * table["share"].iloc[0]
        grids[str(table["game"].iloc[0]), f"cycles: {share:.0f} %"] = grid
        omitted = omitted or left_out
    most = max(map(len, grids.values()))
    side = 0.42 if most <= NUMBERED else 0.24 if most <= 24 else 0.165
    labels = {heading: tuple(about.labels(grid.index)) for heading, grid in grids.items()}
    below = widest([name for names in labels.values() for name in names], row_size(most))
    figure, axes = sheet(
        about.title("no order is right"),
        f"Mean result in % against each bot that is surely beaten; below the diagonal it is a better one{omitted}",
        [Panel(heading=heading, names=names) for heading, names in labels.items()],
        wide=max(side * most, 1.6),
        high=side,
        columns=2,
        space=Space(below=below + 0.12, top=0.36 if most > NUMBERED else 0),
    )
    for panel, (heading, grid) in zip(axes, grids.items(), strict=True):
        cells(panel, grid.to_numpy(dtype=np.float64), least=50)
        panel.set_xticks(range(len(grid)), labels[heading], rotation=90, fontsize=row_size(most))
        panel.axline((-0.5, -0.5), slope=1, color=GREY, linewidth=0.6)
    if most > NUMBERED:
        scale(axes[0], 50, 100)
    return figure
