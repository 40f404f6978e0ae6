"""An axis with a gap: a few figures far away from all others do not take the space of the others.

Between the gap and the end the axis is compressed, but still in order, and every figure stands at its own value.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from arena.charts.style import GREY
from arena.charts.style.markers import Floats

SQUEEZED = 0.4  # of the axis: with less than that the others are squeezed, and the axis gets a gap
FEW = 10  # rows for each row that may be far away; three to nine rows may have one, too
STRIP = 0.14  # of the width of the others: how wide each compressed end is
SLACK = 0.04  # of the width of the others, beyond the last of them
GAP_NOTE = "; beyond a dotted line the axis is compressed"


@dataclass(frozen=True)
class Gap:
    """The part of an axis that is to scale, and the ends of the axis beyond it."""

    core: tuple[float, float]
    ends: tuple[float, float]

    def mark(self, panel: Axes, axis: Literal["x", "y"], *, nbins: int = 5) -> None:
        """Give an axis this gap: a dotted line where it begins, and a figure at the far end."""
        (low, high), (least, most) = self.core, self.ends
        strip = STRIP * (high - low)
        values = np.array([least, low, high, most])
        positions = np.array([low - strip if least < low else low, low, high, high + strip if most > high else high])
        used = [0] * (least < low) + [1, 2] + [3] * (most > high)
        there, back = Piecewise(values[used], positions[used]), Piecewise(positions[used], values[used])
        ticks = [
            tick
            for tick in MaxNLocator(nbins=nbins, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
            if low <= tick <= high
        ]
        far = [least] * (least < low) + [most] * (most > high)
        figures = [f"{tick:g}" for tick in ticks] + [f"{tick:.3g}" for tick in far]
        labels = [figure.replace("-", "\u2212") for figure in figures]
        space = 0.25 * strip
        limits = back(np.array([there(np.array([least]))[0] - space, there(np.array([most]))[0] + space]))
        if axis == "x":
            panel.set_xscale("function", functions=(there, back))
            panel.set(xlim=tuple(limits))
            panel.set_xticks([*ticks, *far], labels)
        else:
            panel.set_yscale("function", functions=(there, back))
            panel.set(ylim=tuple(limits))
            panel.set_yticks([*ticks, *far], labels)
        line = panel.axvline if axis == "x" else panel.axhline
        for edge in [low] * (least < low) + [high] * (most > high):
            line(edge, color=GREY, linewidth=1.1, linestyle=(0, (1, 2)), zorder=1.5)


def gap_in(value: "pd.Series[float]", low: "pd.Series[float]", high: "pd.Series[float]") -> Gap | None:
    """Return the gap that an axis with these figures and intervals needs; None where no rows are squeezed.

    The fewest rows are set apart that leave the others enough space. An interval that is open ends at its figure.
    """
    value, low, high = (column.astype(float) for column in (value, low, high))
    known = np.isfinite(value.to_numpy())
    middle = value.to_numpy()[known]
    below, above = (
        np.where(np.isfinite(column.to_numpy()[known]), column.to_numpy()[known], middle) for column in (low, high)
    )
    if len(middle) < 3:
        return None
    ends = float(below.min()), float(above.max())
    core_rows = np.arange(len(middle))
    for _ in range(max(1, len(middle) // FEW)):
        without = [np.delete(core_rows, np.argmin(below[core_rows])), np.delete(core_rows, np.argmax(above[core_rows]))]
        core_rows = min(without, key=lambda row_numbers: float(above[row_numbers].max() - below[row_numbers].min()))
        begin, end = float(below[core_rows].min()), float(above[core_rows].max())
        if 0 < end - begin < SQUEEZED * (ends[1] - ends[0]):
            slack, strip = SLACK * (end - begin), (STRIP + SLACK) * (end - begin)
            core = (
                begin - slack if begin - ends[0] > strip else ends[0],
                end + slack if ends[1] - end > strip else ends[1],
            )
            return Gap(core, ends)
    return None


class Piecewise:
    """A map of straight pieces through these points; the outer pieces go on."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self._x, self._y = x, y
        self._slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(zip(x, y, strict=True))]

    def __call__(self, values: Floats) -> Floats:
        """Map values."""
        values = np.asarray(values, dtype=float)
        inside = np.interp(values, self._x, self._y)
        below = np.minimum(values - self._x[0], 0) * self._slopes[0]
        above = np.maximum(values - self._x[-1], 0) * self._slopes[-1]
        return np.asarray(inside + below + above)
