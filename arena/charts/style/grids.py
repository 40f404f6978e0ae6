"""Grids of bots by bots, in which a cell is darker for a higher value."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from arena.charts.style import FAINT, GREY, HEAT, INK, About
from arena.charts.style.letters import widest
from arena.charts.style.sheet import HEAD, Panel, Space, row_size, sheet
from arena.display_names import NAME
from arena.results.columns import rounded_text

DARKER = LinearSegmentedColormap.from_list("darker", HEAT)
NARROWEST = 1.6  # inches: a panel's heading needs some
NUMBERED = 12  # rows; with more of them a cell is too small for its number
STRIP = (1.4, 0.09)  # inches: width and height of the scale of colours
SCALE = 0.36  # inches: the height of the scale with its numbers


def _whole(value: float) -> str:
    return rounded_text(value, 0)


def grids(
    about: About,
    subject: str,
    subtitle: str,
    panels: Sequence[tuple[tuple[str, ...], pd.DataFrame]],
    *,
    least: float = 50,
    sides: tuple[float, float, float] = (0.42, 0.24, 0.165),
    columns: int = 2,
    length: int = NAME,
    text: Callable[[float], str] = _whole,
) -> tuple[Figure, list[Axes]]:
    """Draw panels with their headings, with values from `least` to 100.

    A grid has a bot in each row and in each column. `sides` are those of a cell: where cells have
    numbers, of up to 24 rows, of more. `length` is that of a name in letters. `text` makes the
    number of a cell from its value.
    """
    tables = [grid for _, grid in panels]
    most_rows = max(max(grid.shape) for grid in tables)
    most_columns = max(grid.shape[1] for grid in tables)
    numbered = most_rows <= NUMBERED
    if numbered:
        side = sides[0]
    elif most_rows <= 2 * NUMBERED:
        side = sides[1]
    else:
        side = sides[2]
    size = row_size(most_rows)
    framed = []
    heads = []  # the labels below the columns of each grid
    below = 0.0
    for heading, grid in panels:
        names = tuple(about.labels(grid.index, length))
        framed.append(Panel(heading=heading, names=names))
        labels = about.labels(grid.columns, length)
        heads.append(labels)
        below = max(below, widest(labels, size))
    space = Space(below=below + 0.17)
    if not numbered:
        columns = 2
        space = Space(below=below + 0.17, top=SCALE)
    figure, axes = sheet(
        about.title(subject),
        subtitle,
        framed,
        wide=max(side * most_columns, NARROWEST),
        high=side,
        columns=columns,
        space=space,
    )
    for panel, grid, labels in zip(axes, tables, heads, strict=True):
        cells = grid.to_numpy(dtype=np.float64)
        _cells(panel, cells, least, text)
        panel.set_xticks(
            range(len(labels)),
            labels,
            rotation=90,
            fontsize=size,
        )
        # The panel of few bots is smaller than its neighbours, so that cells are alike.
        down, across = grid.shape
        inches = side * np.array([across, down])
        wide, high = inches / figure.get_size_inches()
        box = panel.get_position()
        bounds = (box.x0, box.y1 - high, wide, high)
        panel.set_position(bounds)
        panel.set_ylim(down - 0.5, -0.5)
    if not numbered:
        first_box = axes[0].get_position()
        _scale(figure, first_box.x0, least)
    return figure, axes


def _cells(
    panel: Axes,
    grid: npt.NDArray[np.float64],
    least: float,
    text: Callable[[float], str],
) -> None:
    """Draw a grid of cells from `least` to 100, the first row on top; a NaN stays empty."""
    panel.imshow(
        np.ma.masked_invalid(grid),
        cmap=DARKER,
        vmin=least,
        vmax=100,
        aspect="auto",
        interpolation="none",
        zorder=1,
    )
    down, across = grid.shape
    longest = max(down, across)
    if longest <= 2 * NUMBERED:
        right = across - 0.5
        bottom = down - 0.5
        rules = []  # between the cells
        for row in range(1, down):
            y = row - 0.5
            rules.append([(-0.5, y), (right, y)])
        for column in range(1, across):
            x = column - 0.5
            rules.append([(x, -0.5), (x, bottom)])
        lines = LineCollection(rules, colors="white", linewidths=1.4, zorder=2)
        panel.add_collection(lines, autolim=False)
    if longest > NUMBERED:
        return

    for (row, column), value in np.ndenumerate(grid):
        if np.isnan(value):
            continue
        colour = INK
        if value - least > 0.48 * (100 - least):  # the cell is dark
            colour = "white"
        panel.text(
            column,
            row,
            text(value),
            ha="center",
            va="center",
            color=colour,
            fontsize=8.5,
        )


def _scale(figure: Figure, left: float, least: float) -> None:
    """Draw the scale of the cells' colours as a strip below the subtitle, above the headings.

    `left` is where it begins, as a share of the figure's width.
    """
    width, height = figure.get_size_inches()
    strip_width, strip_height = STRIP
    bottom = height - HEAD - strip_height
    bounds = (
        left,
        bottom / height,
        strip_width / width,
        strip_height / height,
    )
    strip = figure.add_axes(bounds)
    values = np.linspace(least, 100, 64)
    strip.imshow(
        values[None, :],  # a row of cells
        cmap=DARKER,
        aspect="auto",
        extent=(least, 100, 0, 1),
    )
    middle = (least + 100) / 2
    strip.set(yticks=[], xticks=[least, middle, 100])
    strip.tick_params(
        length=0,
        labelsize=7.5,
        pad=2,
        labelcolor=GREY,
    )
    for spine in strip.spines.values():
        spine.set(color=FAINT, linewidth=0.5, visible=True)
