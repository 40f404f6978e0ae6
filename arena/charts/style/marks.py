"""What is drawn in panels: figures with their intervals, and grids of cells that are darker for more."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap

from arena.charts.style import BAND, COLOURS, FAINT, GREY

Floats = npt.NDArray[np.float64]
DARKER = LinearSegmentedColormap.from_list("darker", ["#F1F5F9", "#9CC9E6", "#0072B2", "#00263D"])
NUMBERED = 12  # rows; with more of them a cell is too small for its number


def intervals(panel: Axes, value: "pd.Series[float]", low: "pd.Series[float]", high: "pd.Series[float]") -> None:
    """A dot a row, with a line from low to high."""
    value, low, high = (each.astype(float) for each in (value, low, high))
    places = np.arange(len(value))
    size = 34 if len(value) <= 24 else 16
    panel.hlines(places, low, high, color=COLOURS[0], linewidth=size / 9, alpha=0.38, capstyle="round", zorder=2)
    panel.scatter(value, places, s=size, color=COLOURS[0], zorder=3, clip_on=False, linewidths=0)


def bands(panel: Axes, groups: Sequence[object]) -> None:
    """A pale ground behind every second group of neighbouring rows."""
    start = shade = 0
    for place in range(1, len(groups) + 1):
        if place == len(groups) or groups[place] != groups[start]:
            if shade % 2 == 0:
                panel.axhspan(start - 0.5, place - 0.5, color=BAND, linewidth=0, zorder=0)
            start, shade = place, shade + 1


def cells(panel: Axes, grid: Floats, *, most: float, numbers: bool = True) -> None:
    """A grid of cells from 0 to `most`, the first row on top; those that are not a number stay empty."""
    panel.imshow(  # of what is masked nothing is drawn
        np.ma.masked_invalid(grid), cmap=DARKER, vmin=0, vmax=most, aspect="auto", interpolation="none", zorder=1
    )
    down, across = grid.shape
    if max(down, across) <= NUMBERED * 2:
        rules = [[(-0.5, y - 0.5), (across - 0.5, y - 0.5)] for y in range(1, down)]
        rules += [[(x - 0.5, -0.5), (x - 0.5, down - 0.5)] for x in range(1, across)]
        panel.add_collection(LineCollection(rules, colors="white", linewidths=1.4, zorder=2), autolim=False)
    if numbers and max(down, across) <= NUMBERED:
        for (row, column), value in np.ndenumerate(grid):
            if not np.isnan(value):
                ink = "white" if value > 0.48 * most else "#10151A"
                panel.text(column, row, f"{value:.0f}", ha="center", va="center", color=ink, fontsize=8.5)
    for spine in panel.spines.values():
        spine.set_visible(False)


def scale(panel: Axes, box: tuple[float, float, float, float], most: float, label: str) -> None:
    """What the colours of cells mean, as a strip at `box`, in parts of the panel."""
    strip = panel.inset_axes(box)
    strip.imshow(np.linspace(0, most, 64)[None, :], cmap=DARKER, aspect="auto", extent=(0, most, 0, 1), vmin=0)
    strip.set(yticks=[], xticks=[0, most / 2, most])
    strip.tick_params(length=0, labelsize=7.5, pad=2)
    strip.set_xlabel(label, fontsize=8, color=GREY, labelpad=2)
    for spine in strip.spines.values():
        spine.set(color=FAINT, linewidth=0.5)
