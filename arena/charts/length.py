"""How long matches were, by board."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import COLOURS, GREY, axes, bare, figure
from arena.leaderboard import Results
from arena.protocol import clean


def draw(results: Results) -> Figure:
    """A histogram of turns for each board; forfeits before the first turn count as 0 turns."""
    boards = list(results.columns.items())
    made = figure(
        max(6.5, 2.9 * len(boards)),
        3.2,
        f"{results.event.name}: how long matches are",
        "Number of matches by turns played; the line is the median",
    )
    for number, (panel, (label, column)) in enumerate(zip(axes(made, 1, len(boards)), boards, strict=True)):
        turns = np.array([match.turns for match in results.played if match.label == label])
        if len(turns):
            bins = np.linspace(0, max(10, turns.max() + 1), 21).tolist()
            panel.hist(turns, bins=bins, color=COLOURS[number % len(COLOURS)], rwidth=0.92)
            panel.axvline(float(np.median(turns)), color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
        panel.set_title(clean(column), loc="left", fontsize=10)
        panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panel.set_xlabel("turns", color=GREY)
        bare(panel, grid="y")
    return made
