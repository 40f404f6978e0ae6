"""Bots that beat each other in a circle, so that no order of them is right."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import GREY, About, Nothing, styled
from arena.charts.style.grids import grids
from arena.charts.style.sheet import GRID, best
from arena.extras.cycles import frames
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `opponent` that it surely beats: its mean `result`, and the `share` of cycles."""
    cycles = frames.found_in(results)
    shares = frames.shares_of(cycles)[["game", "share"]]
    return frames.beaten_of(cycles).merge(shares, on="game")


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a grid a game: in a row the bots that it surely beats; cells on both sides of the diagonal are a cycle."""
    if frame.empty:
        return Nothing("no cycle of bots is proven")
    panels, omitted = [], ""
    for _, table in about.by_game(frame):
        game = str(table["game"].iloc[0])
        order, left_out = best(about.order([*table["bot"], *table["opponent"]], f"{game}/"), GRID)
        grid = table.pivot_table(index="bot", columns="opponent", values="result").reindex(
            index=order, columns=order
        )
        panels.append(((game, f"cycles: {100 * table['share'].iloc[0]:.0f} %"), grid))
        omitted = omitted or left_out
    subtitle = f"Mean result in % against each bot that is surely beaten; below the diagonal it is a better one{omitted}"
    figure, axes = grids(about, "no order is right", subtitle, panels)
    for panel in axes:
        panel.axline((-0.5, -0.5), slope=1, color=GREY, linewidth=0.6)
    return figure
