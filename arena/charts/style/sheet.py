"""The layout of a chart: a title, panels in rows and columns, the names of their rows. All lengths are inches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import DPI, GREY, INK, LARGE, SMALL, TEXT
from arena.charts.style.letters import drawable, width

MARGIN = 0.15
HEAD = 0.68  # title and subtitle
GRID, ROWS = 100, 500
"""Bots that a grid of bots by bots, and a chart of rows, has: a picture of more is too large for memory and reader."""
MANY = 24  # rows; more of them stand closer and in smaller letters


@dataclass(frozen=True, kw_only=True)
class Space:
    """The space around the panels of a grid, in inches."""

    left: float = 0.0
    right: float = 0.0
    above: float = 0.0
    """Of every row of panels: for their titles."""
    below: float = 0.0
    """Of every row of panels: for the axis and what it is called."""
    between: float = 0.25
    """Columns."""
    top: float = 0.0
    """Once: for a legend."""


def sheet(
    title: str,
    subtitle: str,
    size: tuple[float, float | Sequence[float]],
    *,
    grid: tuple[int, int] = (1, 1),
    space: Space = Space(),
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a title, and its panels in reading order.

    `size` is a panel's width and height; a height each where rows of panels differ.

    matplotlib's constrained layout does the opposite: it fits panels into a figure of a given size. Here a panel is as
    high as its rows need, in inches, and the figure grows around it, so that letters never overlap. The solver
    changed the size of the panels of 40 bots by up to 20 %, and drawing took twice as long.
    """
    rows, columns = grid
    wide = size[0]
    heights = list(size[1]) if isinstance(size[1], Sequence) else [size[1]] * rows
    title = drawable(title)
    across = max(
        space.left + columns * wide + (columns - 1) * space.between + space.right,
        width(title, LARGE, bold=True),
        width(subtitle, TEXT),
    )
    full = (across + 2 * MARGIN, HEAD + space.top + sum(heights) + rows * (space.above + space.below) + MARGIN)
    figure = Figure(figsize=full, dpi=DPI, facecolor="white")
    at = MARGIN / full[0]
    figure.text(at, 1 - 0.12 / full[1], title, ha="left", va="top", fontsize=LARGE, fontweight="bold", color=INK)
    figure.text(at, 1 - 0.40 / full[1], subtitle, ha="left", va="top", fontsize=TEXT, color=GREY)
    panels = []
    top = full[1] - HEAD - space.top
    for high in heights:
        top -= space.above + high
        for column in range(columns):
            start = MARGIN + space.left + column * (wide + space.between)
            panels.append(_panel(figure, (start / full[0], top / full[1], wide / full[0], high / full[1])))
        top -= space.below
    return figure, panels


def best(order: Sequence[str], most: int) -> tuple[list[str], str]:
    """Return the first bots, as many as a chart may have, and the words about the others for its subtitle."""
    return list(order[:most]), f"; the first {most} of {len(order)} bots" if len(order) > most else ""


def row_height(count: int) -> float:
    """Return the height in inches of one of so many rows."""
    return 0.3 if count <= MANY else 0.19


def row_size(count: int) -> float:
    """Return the size of the letters of one of so many rows."""
    return TEXT if count <= MANY else SMALL


def rows(panel: Axes, names: Sequence[str], *, named: bool = True) -> None:
    """Give a panel a row for each name, the first on top; the names stand to the left."""
    panel.set_ylim(max(1, len(names)) - 0.5, -0.5)
    if named:
        panel.set_yticks(range(len(names)), names, fontsize=row_size(len(names)))
    else:
        panel.set_yticks([])  # matplotlib draws a tick without a name, too, which takes as long as one with a name


def heading(panel: Axes, text: str, *lines: str) -> None:
    """Write a heading above a panel; further lines are small."""
    panel.annotate(
        text, (0, 1), (0, 4 + 10 * len(lines)), "axes fraction", "offset points", fontsize=TEXT, fontweight="bold"
    )
    for index, line in enumerate(reversed(lines)):
        panel.annotate(line, (0, 1), (0, 4 + 10 * index), "axes fraction", "offset points", fontsize=8, color=GREY)


def legend(panel: Axes, *, columns: int = 0, high: float = 1.0) -> None:
    """Draw a legend of colours and signs above the panel."""
    handles, labels = panel.get_legend_handles_labels()
    panel.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(-0.01, high),
        ncols=columns or len(labels),
        frameon=False,
        fontsize=8.5,
        borderaxespad=0.15,
        handletextpad=0.4,
        columnspacing=1.3,
    )


def bare(panel: Axes, *, grid: Literal["x", "y", ""] = "x") -> None:
    """Remove the frame; draw a pale grid along one axis."""
    for spine in panel.spines.values():
        spine.set_visible(False)
    if grid:
        panel.grid(axis=grid)


def _panel(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    panel = figure.add_axes(box)
    panel.tick_params(which="both", length=0)
    return panel
