"""The one style of every chart: colours that colour-blind readers can tell apart, sizes, and how a chart is saved."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena.protocol import clean

COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
)  # Okabe and Ito, 2008
MARKS = "os^DvP*X"
GREY, PALE, INK = "#6B7280", "#DDE1E6", "#22262B"
NAME = 18  # characters of a bot's name that a chart shows
DPI = 130

RC: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": PALE,
    "grid.linewidth": 0.8,
    "svg.hashsalt": "arena",  # the same ids in the file each time
    "svg.fonttype": "path",
    "text.parse_math": False,  # a bot may be called $x^2$
}


def figure(width: float, height: float, title: str, subtitle: str) -> Figure:
    """An empty figure of so many inches with a title that says what is seen."""
    with matplotlib.rc_context(RC):
        made = Figure(figsize=(width, height), dpi=DPI, facecolor="white", layout="constrained")
        left = 0.1 / width
        made.text(left, 1 - 0.1 / height, clean(title), ha="left", va="top", fontsize=13, fontweight="bold")
        made.text(left, 1 - 0.38 / height, subtitle, ha="left", va="top", fontsize=9.5, color=GREY)
        inner = (left, 0, 1 - 2 * left, 1 - 0.62 / height)
        made.get_layout_engine().set(rect=inner)  # type: ignore[union-attr,call-arg]
    return made


def axes(made: Figure, rows: int = 1, columns: int = 1, *, sharey: bool = False) -> list[Axes]:
    """The panels of a figure, in reading order."""
    with matplotlib.rc_context(RC):
        panels = made.subplots(rows, columns, squeeze=False, sharey=sharey)
        return list(panels.flat)


def save(made: Figure, path: Path) -> tuple[Path, Path]:
    """Write a figure as SVG and PNG, without a date in either."""
    with matplotlib.rc_context(RC), warnings.catch_warnings():
        for text in made.findobj(Text):
            text.set_parse_math(False)
        vector, pixels = path.with_suffix(".svg"), path.with_suffix(".png")
        warnings.filterwarnings("ignore", "Glyph")  # a name in a script without letters here shows as boxes
        _settle(made)
        made.savefig(vector, metadata={"Date": None, "Creator": None})
        made.savefig(pixels, metadata={"Software": None})
    return vector, pixels


def _settle(made: Figure) -> None:
    """Lay a figure out for good. The solver's last digits differ from run to run, and would show in the file."""
    made.draw_without_rendering()
    made.set_layout_engine("none")
    for panel in made.axes:
        left, bottom, width, height = (round(float(each), 4) for each in panel.get_position(original=True).bounds)
        panel.set_position((left, bottom, width, height))


def shown(names: Iterable[str], length: int = NAME) -> list[str]:
    """Names as a chart shows them: cut, and with nothing in them that is not to be seen."""
    cleaned = (clean(name) for name in names)
    return [name if len(name) <= length else f"{name[: length - 1]}…" for name in cleaned]


def rows(panel: Axes, names: list[str]) -> None:
    """A row for each name, the first on top."""
    panel.set_ylim(max(1, len(names)) - 0.4, -0.6)
    panel.set_yticks(range(len(names)), names)


def legend(panel: Axes) -> None:
    """What the colours mean, above the panel."""
    handles, labels = panel.get_legend_handles_labels()
    panel.legend(
        handles,
        shown(labels),
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=_legend_columns(labels),
        frameon=False,
        fontsize=9,
        borderaxespad=0.1,
        handletextpad=0.35,
        columnspacing=1.4,
    )


def legend_lines(labels: list[str]) -> int:
    """How many lines a legend of these labels takes."""
    return -(-len(labels) // _legend_columns(labels))


def _legend_columns(labels: list[str]) -> int:
    """As many as a line of some 90 letters holds; a mark and its space take five."""
    widths = [min(NAME, len(label)) + 5 for label in labels]
    return max(1, len(widths) if sum(widths) <= 90 else 90 // max(widths))


def tall(rows: int, each: float = 0.3, rest: float = 1.5) -> float:
    """The height in inches of a chart with so many rows."""
    return max(2.6, rest + each * rows)


def bare(panel: Axes, *, grid: Literal["x", "y", ""] = "x") -> None:
    """No frame and no ticks, a pale grid along one axis."""
    for spine in panel.spines.values():
        spine.set_visible(False)
    panel.tick_params(length=0)
    if grid:
        panel.grid(axis=grid)
