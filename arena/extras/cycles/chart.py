"""Bots that beat each other in a circle, so that no order of them is right."""

from itertools import chain

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import GREY, About, Nothing, styled
from arena.charts.style.grids import grids
from arena.charts.style.sheet import GRID, best
from arena.extras.cycles import frames
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `opponent` that it surely beats.

    Each row has the mean `result` of the bot, and the `share` of cycles.
    """
    cycles = frames.cycles_by_game(results)
    shares = frames.shares_of(cycles)
    beaten = frames.beaten_of(cycles)
    return beaten.merge(shares[["game", "share"]], on="game")


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a grid a game: each row has the bots that its bot surely beats.

    Cells on both sides of the diagonal are a cycle.
    """
    if frame.empty:
        return Nothing("no cycle of bots is proven")
    panels = []
    omitted = ""
    for _, table in about.by_game(frame):
        game = str(table["game"].iloc[0])
        share = table["share"].iloc[0]
        names = chain(table["bot"], table["opponent"])
        by_strength = about.order(names, f"{game}/")
        bots, omitted_here = best(by_strength, GRID)
        omitted = omitted or omitted_here

        grid = table.pivot_table(
            index="bot",
            columns="opponent",
            values="result",
        )
        grid = grid.reindex(index=bots, columns=bots)
        heading = (game, f"cycles: {100 * share:.0f} %")
        panels.append((heading, grid))
    subtitle = (
        "Mean result in % against each bot that is surely beaten; "
        f"below the diagonal it is a better one{omitted}"
    )
    figure, axes = grids(about, "no order is right", subtitle, panels)
    for panel in axes:
        panel.axline((-0.5, -0.5), slope=1, color=GREY, linewidth=0.6)
    return figure
