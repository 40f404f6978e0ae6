"""The length of matches in turns, by board."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import GREY, TURNS, About, Nothing, styled
from arena.charts.style.letters import shown
from arena.charts.style.sheet import Space, bare, heading, sheet
from arena.results.arrays import Ints
from arena.results.leaderboard import Results

COLUMNS = 3
BINS = 24


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board` and number of `turns`: how many `matches` took so many."""
    counted = [(board, *np.unique(results.lengths(board), return_counts=True)) for board in results.boards]
    rows = [(board, *row) for board, turns, matches in counted for row in zip(turns, matches, strict=True)]
    return pd.DataFrame(rows, columns=["board", "turns", "matches"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a histogram of turns for each board; forfeits before the first turn count as 0 turns."""
    boards = list(frame.groupby("board", sort=False))
    if not boards:
        return Nothing("no matches")
    columns = min(COLUMNS, len(boards))
    figure, panels = sheet(
        about.title("how long matches are"),
        "Number of matches by turns played; the line is the median",
        (2.1, 1.5),
        grid=(-(-len(boards) // columns), columns),
        space=Space(left=0.35, between=0.5, above=0.42, below=0.3),
    )
    for number, panel in enumerate(panels):
        if number < len(boards):
            label, table = boards[number]
            median = _bars(panel, table["turns"].to_numpy(), table["matches"].to_numpy())
            heading(panel, shown([about.board(str(label))], 24)[0], f"median {median:g} turns")
        else:
            panel.set_axis_off()
    return figure


def _bars(panel: Axes, turns: Ints, matches: Ints) -> float:
    """Draw the bars, and a line at the median; return the median."""
    step = max(1, -(-(int(turns.max()) + 1) // BINS))
    edges = np.arange(-0.5, max(int(turns.max()) + 1, 8) + step, step)
    panel.hist(turns, bins=edges.tolist(), weights=matches, color=TURNS, rwidth=0.9)
    median = float(np.median(np.repeat(turns, matches)))
    panel.axvline(median, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    panel.tick_params(axis="y", labelsize=8, labelcolor=GREY)
    bare(panel, grid="y")
    return median
