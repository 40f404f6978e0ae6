"""Mask in panels: figures with their intervals, and grids of cells that are darker for higher values."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.markers import CARETLEFT, CARETRIGHT

from arena.charts.style import BAND, FAINT, GREY, HEAT, INK, RATING
from arena.results.columns import rounded_text

Floats = npt.NDArray[np.float64]
DARKER = LinearSegmentedColormap.from_list("darker", HEAT)
NUMBERED = 12  # rows; with more of them a cell is too small for its number
FADE, SHADES = 0.5, 8  # rows on either side of a soft edge of a ground, and in how many steps it fades there


def intervals(panel: Axes, value: "pd.Series[float]", low: "pd.Series[float]", high: "pd.Series[float]") -> None:
    """Draw a dot a row, with a line from low to high; an infinite end is an arrow at the edge of the drawing."""
    value, low, high = (column.astype(float) for column in (value, low, high))
    indices = np.arange(len(value))
    least, most = extent(value, low, high)
    for index, begin, end in zip(indices, low, high, strict=True):
        for tip, edge, mark in ((begin, least, CARETLEFT), (end, most, CARETRIGHT)):
            if np.isinf(tip):
                panel.plot([edge], [index], marker=mark, color=RATING, alpha=0.6, markersize=5, zorder=2)
    low, high = low.replace(-np.inf, least), high.replace(np.inf, most)
    size = 34 if len(value) <= 24 else 16
    panel.hlines(indices, low, high, color=RATING, linewidth=size / 9, alpha=0.38, capstyle="round", zorder=2)
    panel.scatter(value, indices, s=size, color=RATING, zorder=3, clip_on=False, linewidths=0)


def extent(*figures: "pd.Series[float]") -> tuple[float, float]:
    """Return the least and the greatest finite figure, with some space for the arrows of infinite ones."""
    every = np.concatenate([column.astype(float).to_numpy() for column in figures])
    finite = every[np.isfinite(every)]
    if not len(finite):
        return 0.0, 1.0
    least, most = float(finite.min()), float(finite.max())
    slack = 0.08 * (most - least or 1)
    return least - slack * bool(np.isneginf(every).any()), most + slack * bool(np.isposinf(every).any())


def bands(panel: Axes, groups: Sequence[object], soft: Sequence[bool] = ()) -> None:
    """Draw a pale ground behind every second group of neighbouring rows.

    `soft` says of each row whether the ground fades towards it where a group begins with it.
    """
    start = shade = 0
    for index in range(1, len(groups) + 1):
        if index == len(groups) or groups[index] != groups[start]:
            faded = [0 < edge < len(groups) and len(soft) > 0 and soft[edge] for edge in (start, index)]
            if shade % 2 == 0:
                _ground(panel, start - 0.5, index - 0.5, faded)
            start, shade = index, shade + 1


def _ground(panel: Axes, top: float, foot: float, faded: Sequence[bool]) -> None:
    """Draw a ground whose upper and lower edge may fade, over a row on either side of it."""
    begin, end = (top + FADE * faded[0], foot - FADE * faded[1])
    panel.axhspan(begin, end, color=BAND, linewidth=0, zorder=0)
    step = 2 * FADE / SHADES
    for soft, edge, way in ((faded[0], top, 1), (faded[1], foot, -1)):
        for shade in range(SHADES if soft else 0):
            at = edge + way * (FADE - shade * step)
            share = 1 - (shade + 0.5) / SHADES
            panel.axhspan(at, at - way * step, color=BAND, alpha=share, linewidth=0, zorder=0)


def cells(panel: Axes, grid: Floats, *, most: float, numbers: bool = True) -> None:
    """Draw a grid of cells from 0 to `most`, the first row on top; cells that are not a number stay empty."""
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
                ink = "white" if value > 0.48 * most else INK
                panel.text(column, row, rounded_text(value, 0), ha="center", va="center", color=ink, fontsize=8.5)
    for spine in panel.spines.values():
        spine.set_visible(False)


def scale(panel: Axes, box: tuple[float, float, float, float], most: float, label: str) -> None:
    """Draw the scale of the cells' colours as a strip at `box`, which is in parts of the panel."""
    strip = panel.inset_axes(box)
    strip.imshow(np.linspace(0, most, 64)[None, :], cmap=DARKER, aspect="auto", extent=(0, most, 0, 1), vmin=0)
    strip.set(yticks=[], xticks=[0, most / 2, most])
    strip.tick_params(length=0, labelsize=7.5, pad=2)
    strip.set_xlabel(label, fontsize=8, color=GREY, labelpad=2)
    for spine in strip.spines.values():
        spine.set(color=FAINT, linewidth=0.5)
