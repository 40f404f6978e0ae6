"""The layout of a chart: a title, panels in rows and columns, the names of their rows.

All lengths are inches.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import DPI, GREY, INK, LARGE, SMALL, TEXT
from arena.charts.style.letters import drawable, shown, widest, width

MARGIN = 0.15
HEAD = 0.68  # title and subtitle
LINE = 0.15  # of a panel's heading
LETTERS = 12.5  # of a heading, on an inch
GRID = 100
ROWS = 500
"""The most bots of a grid of bots by bots, and of a chart of rows.

A picture of more is too large for memory and for a reader.
"""
MANY = 24  # rows; more of them stand closer and in smaller letters


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The texts around a panel."""

    heading: tuple[str, ...] = ()
    """Above it; lines after the first are small, and each may become several."""
    names: tuple[str, ...] = ()
    """Of its rows, the first on top; they stand to the left."""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Figures to the right of its rows, a column under each head; the first is bold."""


@dataclass(frozen=True, kw_only=True)
class Space:
    """The space around the panels of a grid, beside that for their names, columns and headings."""

    left: float = 0.0
    right: float = 0.0
    below: float = 0.3
    """Of every row of panels: for the axis and what it is called."""
    between: float = 0.25
    """Columns."""
    top: float = 0.0
    """Once: for a legend."""


def sheet(
    title: str,
    subtitle: str,
    panels: Sequence[Panel],
    *,
    wide: float,
    high: float = 0.0,
    columns: int = 1,
    space: Space = Space(),
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a title, and its panels in reading order.

    `high` is the height of a panel, or of a row where panels have rows; 0 = as high as the letters
    of a row need.

    matplotlib's constrained layout does the opposite: it fits panels into a figure of a given size.
    Here a panel is as high as its rows need, in inches, and the figure grows around it, so that
    letters never overlap. The solver changed the size of the panels of 40 bots by up to 20 %, and
    drawing took twice as long.
    """
    columns = min(columns, len(panels))
    lines = []
    for first in range(0, len(panels), columns):
        lines.append(panels[first : first + columns])
    most_rows = max(len(panel.names) for panel in panels)
    size = row_size(most_rows)
    first_names = panels[0].names
    shared = most_rows > 0 and all(panel.names == first_names for panel in panels)
    labels = _labels_width(panels, size)
    text_widths = [_text_widths(panel, size) for panel in panels]
    beside = max(sum(widths.values()) for widths in text_widths)
    letters = int(LETTERS * (wide + beside))
    headings = [_heading(panel, letters) for panel in panels]
    heading_lines = max(len(heading) for heading in headings)
    gap = 0.1
    if beside:
        gap = 0.2
    above = LINE * heading_lines + gap
    between = space.between + beside
    if not shared:
        between += labels

    row_counts = []
    for line in lines:
        rows = max(len(panel.names) for panel in line)
        row_counts.append(max(1, rows))
    heights = [high] * len(lines)
    if most_rows:
        row = high or row_height(most_rows)
        heights = [count * row for count in row_counts]

    title = drawable(title)
    left = MARGIN + space.left + labels
    panels_across = columns * wide + (columns - 1) * between
    content_width = left - MARGIN + panels_across + beside + space.right
    across = max(
        content_width,
        width(title, LARGE, bold=True),
        width(subtitle, TEXT),
    )
    full_width = across + 2 * MARGIN
    around = len(lines) * (above + space.below)
    full_height = HEAD + space.top + sum(heights) + around + MARGIN
    figure = _titled(title, subtitle, full_width, full_height)

    axes: list[Axes] = []
    bottom = full_height - HEAD - space.top
    for line, tall, row_count in zip(lines, heights, row_counts, strict=True):
        bottom -= above + tall
        for column, panel in enumerate(line):
            start = left + column * (wide + between)
            bounds = (
                start / full_width,
                bottom / full_height,
                wide / full_width,
                tall / full_height,
            )
            panel_axes = figure.add_axes(bounds)
            _head(panel_axes, headings[len(axes)], raised=beside > 0)
            if most_rows:
                # Rows have one height, also where a neighbour has more of them.
                panel_axes.set_ylim(row_count - 0.5, -0.5)
                # matplotlib draws a tick without a name, too, which takes as long as one with a
                # name.
                names: Sequence[str] = ()
                if column == 0 or not shared:
                    names = panel.names
                panel_axes.set_yticks(range(len(names)), names, fontsize=size)
            _columns(panel_axes, panel, text_widths[len(axes)], wide, size)
            axes.append(panel_axes)
        bottom -= space.below
    return figure, axes


def _heading(panel: Panel, letters: int) -> list[str]:
    """Return the lines above a panel that has space for this many letters.

    The first is shortened. Those after it have several words, such as roles, and go on below.
    """
    lines = list(panel.heading[:1])
    for line in panel.heading[1:]:
        lines += textwrap.wrap(
            line,
            letters,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return shown(lines, letters)


def _labels_width(panels: Sequence[Panel], size: float) -> float:
    """Return the width of the widest name of a row, with the space beside it; 0 without names."""
    names: list[str] = []
    for panel in panels:
        names += panel.names
    if not names:
        return 0.0
    return widest(names, size) + 0.12


def _text_widths(panel: Panel, size: float) -> dict[str, float]:
    """Return the width of each column to the right of a panel, with the space before it."""
    widths = {}
    for head, texts in panel.columns.items():
        column = [head, *texts]
        widths[head] = widest(column, size) + 0.18
    return widths


def _titled(
    title: str,
    subtitle: str,
    width: float,
    height: float,
) -> Figure:
    """Return a figure without panels."""
    size = (width, height)
    figure = Figure(figsize=size, dpi=DPI, facecolor="white")
    left = MARGIN / width
    figure.text(
        left,
        1 - 0.12 / height,
        title,
        ha="left",
        va="top",
        fontsize=LARGE,
        fontweight="bold",
        color=INK,
    )
    figure.text(
        left,
        1 - 0.40 / height,
        subtitle,
        ha="left",
        va="top",
        fontsize=TEXT,
        color=GREY,
    )
    return figure


def best(order: Sequence[str], most: int) -> tuple[list[str], str]:
    """Return the first bots, at most `most`, and the words about the others for a subtitle."""
    note = ""
    if len(order) > most:
        note = f"; the first {most} of {len(order)} bots"
    return list(order[:most]), note


def row_height(count: int) -> float:
    """Return the height in inches of a row, where a panel has this many."""
    if count <= MANY:
        return 0.3
    return 0.19


def row_size(count: int) -> float:
    """Return the size of the letters of a row, where a panel has this many."""
    if count <= MANY:
        return TEXT
    return SMALL


def legend(panel: Axes) -> None:
    """Draw a legend of colours and signs above the panel."""
    handles, labels = panel.get_legend_handles_labels()
    panel.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(-0.01, 1),
        ncols=len(labels),
        frameon=False,
        fontsize=8.5,
        borderaxespad=0.15,
        handletextpad=0.4,
        columnspacing=1.3,
    )


def _head(panel: Axes, lines: Sequence[str], *, raised: bool) -> None:
    """Write the lines of a heading above the panel, the first in large letters."""
    for index, line in enumerate(reversed(lines)):
        size = 8.0
        weight = "normal"
        colour = GREY
        if index == len(lines) - 1:  # the first line of the heading
            size = TEXT
            weight = "bold"
            colour = INK
        panel.annotate(
            line,
            (0, 1),
            (0, 4 + 10 * index + 7 * raised),
            "axes fraction",
            "offset points",
            fontsize=size,
            fontweight=weight,
            color=colour,
        )


def _columns(
    panel: Axes,
    texts: Panel,
    widths: Mapping[str, float],
    wide: float,
    size: float,
) -> None:
    """Write the columns of texts to the right of a panel that is `wide`."""
    right = wide
    bold = True  # of the first column
    for head, column in texts.columns.items():
        right += widths[head]
        _column(panel, right / wide, head, column, size, bold=bold)
        bold = False


def _column(
    panel: Axes,
    right: float,
    head: str,
    texts: Sequence[str],
    size: float,
    *,
    bold: bool,
) -> None:
    """Write a column of texts, with its head, to the right of the panel."""
    panel.annotate(
        head,
        (right, 1),
        (0, 3),
        "axes fraction",
        "offset points",
        ha="right",
        fontsize=8,
        color=GREY,
    )
    weight = "normal"
    colour = GREY
    if bold:
        weight = "bold"
        colour = INK
    for row, text in enumerate(texts):
        panel.text(
            right,
            row,
            text,
            ha="right",
            va="center_baseline",
            transform=panel.get_yaxis_transform(),
            fontsize=size,
            fontweight=weight,
            color=colour,
        )
