"""Markers in panels: figures with their intervals, and the grounds behind them."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.charts.style import BAND, RATING

Ends = tuple[float, float]
"""Of an axis, the lower one first."""

SQUEEZED = (
    0.4  # of the axis: where a few rows far away leave the others less, they are beyond its ends
)
FEW = 10  # rows for each row that may be far away; three to nine rows may have one, too
BEYOND = "; an arrow leads beyond the axis"


def ends(
    value: "pd.Series[float]", low: "pd.Series[float]", high: "pd.Series[float]"
) -> tuple[Ends, str]:
    """Return the ends of an axis for figures and their intervals, and a note for the subtitle.

    The note says that rows are beyond the ends; it is empty where none is.

    The fewest rows are left beyond the ends whose absence leaves the others enough space. An open
    interval has space for its arrow.
    """
    rows = (
        pd.DataFrame({"value": value, "low": low, "high": high})
        .astype(float)
        .reset_index(drop=True)
    )
    rows = rows[np.isfinite(rows["value"])]
    if rows.empty:
        return (0.0, 1.0), ""
    for end in ("low", "high"):
        rows[end] = rows[end].where(np.isfinite(rows[end]), rows["value"])

    def span(some: pd.DataFrame) -> float:
        return float(some["high"].max() - some["low"].min())

    core, note = rows, ""
    for _ in range(max(1, len(rows) // FEW) if len(rows) > 2 else 0):
        core = min((core.drop(core["low"].idxmin()), core.drop(core["high"].idxmax())), key=span)
        if 0 < span(core) < SQUEEZED * span(rows):
            rows, note = core, BEYOND
            break
    slack = 0.08 * (span(rows) or 1)
    return (float(rows["low"].min()) - slack, float(rows["high"].max()) + slack), note


def intervals(
    panel: Axes,
    value: "pd.Series[float]",
    low: "pd.Series[float]",
    high: "pd.Series[float]",
    axis: Ends,
) -> None:
    """Draw a dot a row, with a line from low to high.

    A line that leads beyond an end of the axis has an arrow there.
    """
    at, begin, end = (column.to_numpy(dtype=np.float64) for column in (value, low, high))
    least, most = axis
    row = np.arange(len(at))
    size = 34 if len(at) <= 24 else 16
    panel.hlines(
        row,
        np.clip(begin, least, most),
        np.clip(end, least, most),
        color=RATING,
        linewidth=size / 9,
        alpha=0.38,
        capstyle="round",
        zorder=2,
    )
    inside = (least <= at) & (at <= most)
    panel.scatter(
        at[inside], row[inside], s=size, color=RATING, zorder=3, clip_on=False, linewidths=0
    )
    for beyond, edge, arrow in ((begin < least, least, "<"), (end > most, most, ">")):
        panel.scatter(
            np.full(beyond.sum(), edge), row[beyond], s=size, marker=arrow, color=RATING, zorder=3
        )
    panel.set_xlim(least - 0.02 * (most - least), most + 0.02 * (most - least))


def bands(panel: Axes, groups: Sequence[object]) -> None:
    """Draw a pale ground behind every second group of neighbouring rows."""
    start = 0
    for shade, (_, group) in enumerate(groupby(groups)):
        count = len(list(group))
        if shade % 2 == 0:
            panel.axhspan(start - 0.5, start + count - 0.5, color=BAND, linewidth=0, zorder=0)
        start += count
