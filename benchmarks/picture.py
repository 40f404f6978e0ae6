"""What was measured, as a picture for the README: a panel a table, a bar a row, in the charts' own
style.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from arena.charts.style import BLUE, DPI, GREY, INK, SMALL, TEXT, styled

ROW = 0.24  # inches


@dataclass(frozen=True)
class Panel:
    """One table: what was measured, each thing several times."""

    title: str
    unit: str
    rows: dict[str, list[float]]


@styled
def draw(path: Path, title: str, subtitle: str, panels: Sequence[Panel]) -> None:
    """Bars of medians, with a line from the least to the most; the file is a PNG."""
    heights = [ROW * len(panel.rows) for panel in panels]
    size = (7.2, 0.6 + sum(heights) + 0.4 * len(panels))
    figure = Figure(figsize=size, layout="constrained")
    places = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
    figure.suptitle(f"{title}\n{subtitle}", x=0.01, ha="left", fontsize=TEXT, color=INK)
    for panel, axes in zip(panels, places.flat, strict=True):
        middles = [median(values) for values in panel.rows.values()]
        at = range(len(middles))
        axes.barh(at, middles, height=0.62, color=BLUE)
        for row, (middle, values) in enumerate(zip(middles, panel.rows.values(), strict=True)):
            axes.plot((min(values), max(values)), (row, row), color=INK, linewidth=0.9)
            said = (
                f"  {middle:,.1f} {panel.unit}" if middle < 100 else f"  {middle:,.0f} {panel.unit}"
            )
            axes.text(max(middle, max(values)), row, said, va="center", fontsize=SMALL, color=GREY)
        axes.set_yticks(list(at), list(panel.rows), fontsize=TEXT)
        axes.set_ylim(len(middles) - 0.4, -0.6)
        axes.set_xlim(
            0, 1.2 * max(max(values) for values in panel.rows.values())
        )  # with space for the figures
        axes.set_xticks([])
        axes.set_title(panel.title, loc="left", fontsize=TEXT, fontweight="bold", color=INK, pad=6)
        for side in axes.spines.values():
            side.set_visible(False)
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
