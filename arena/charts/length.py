"""How long matches were, by board."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import COLOURS, GREY, axes, bare, figure, shown
from arena.leaderboard import Results

COLUMNS = 4


def draw(results: Results) -> Figure:
    """A histogram of turns for each board; forfeits before the first turn count as 0 turns."""
    boards = list(results.columns.items())
    columns = max(1, min(COLUMNS, len(boards)))
    rows = -(-len(boards) // columns) or 1
    made = figure(
        max(6.5, 2.9 * columns),
        0.7 + 2.5 * rows,
        f"{results.event.name}: how long matches are",
        "Number of matches by turns played; the line is the median",
    )
    panels = axes(made, rows, columns)
    for panel in panels[len(boards) :]:
        panel.set_visible(False)
    for number, (panel, (label, column)) in enumerate(zip(panels, boards, strict=False)):
        turns = results.lengths(label)
        if len(turns):
            bins = np.linspace(0, max(10, turns.max() + 1), 21).tolist()
            panel.hist(turns, bins=bins, color=COLOURS[number % len(COLOURS)], rwidth=0.92)
            panel.axvline(float(np.median(turns)), color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
        panel.set_title(shown([column], 30)[0], loc="left", fontsize=10)
        panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panel.set_xlabel("turns", color=GREY)
        bare(panel, grid="y")
    return made
