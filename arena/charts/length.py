"""The length of matches in turns, by board."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import GREY, TURNS, About, Nothing, styled
from arena.charts.style.sheet import Panel, Space, sheet
from arena.results.leaderboard import Results

BINS = 24


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board` and number of `turns`: how many `matches` took that number."""
    rows: list[tuple[object, ...]] = []
    for board in results.boards:
        lengths = results.lengths(board)
        turns, matches = np.unique(lengths, return_counts=True)
        for turn_count, match_count in zip(turns, matches, strict=True):
            rows.append((board, turn_count, match_count))
    return pd.DataFrame(rows, columns=["board", "turns", "matches"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a histogram of turns for each board; forfeits before the first turn count as 0 turns."""
    tables = []
    medians = []
    panels = []
    for board, table in frame.groupby("board", sort=False):
        lengths = np.repeat(table["turns"], table["matches"])  # an element a match
        median = np.median(lengths)
        heading = (str(board), f"median {median:g} turns")
        tables.append(table)
        medians.append(median)
        panels.append(Panel(heading=heading))
    if not panels:
        return Nothing("no matches")
    if not frame["turns"].any():
        return Nothing("no match has a turn")
    figure, axes = sheet(
        about.title("how long matches are"),
        "Number of matches by turns played; the line is the median",
        panels,
        wide=2.1,
        high=1.5,
        columns=3,
        space=Space(left=0.35, between=0.5),
    )
    for panel, table, median in zip(axes, tables, medians, strict=True):
        length_count = 1 + int(table["turns"].max())  # from 0 turns on
        turns_of_bin = -(-length_count // BINS)  # rounded up
        step = max(1, turns_of_bin)
        end = max(length_count, 8) + step
        edges = np.arange(-0.5, end, step)
        panel.hist(
            table["turns"],
            bins=edges.tolist(),
            weights=table["matches"],
            color=TURNS,
            rwidth=0.9,
        )
        panel.axvline(
            median,
            color=GREY,
            linewidth=1.2,
            linestyle=(0, (4, 3)),
        )
        panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panel.tick_params(axis="y", labelsize=8, labelcolor=GREY)
        panel.grid(axis="y")
    return figure
