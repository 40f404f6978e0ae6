"""Markers in panels: figures with their intervals, and the grounds behind them."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.charts.style import BAND, RATING

Ends = tuple[float, float]
"""Of an axis, the lower one first."""

# Of the axis: where a few rows far away leave the others less, they are beyond its ends.
SQUEEZED = 0.4
FEW = 10  # rows for each row that may be far away; three to nine rows may have one, too
BEYOND = "; an arrow leads beyond the axis"


def ends(
    value: "pd.Series[float]",
    low: "pd.Series[float]",
    high: "pd.Series[float]",
) -> tuple[Ends, str]:
    """Return the ends of an axis for figures and their intervals, and a note for the subtitle.

    The note says that rows are beyond the ends; it is empty where none is.

    As few rows as possible are left beyond the ends: only those without which the others have
    enough space. An open interval has space for its arrow.
    """
    rows = pd.DataFrame({"value": value, "low": low, "high": high})
    rows = rows.astype(float).reset_index(drop=True)
    rows = rows[np.isfinite(rows["value"])]
    if rows.empty:
        return (0.0, 1.0), ""
    for end in ("low", "high"):
        is_closed = np.isfinite(rows[end])
        rows[end] = rows[end].where(is_closed, rows["value"])

    note = ""
    core = rows
    for _ in range(_most_beyond(len(rows))):
        without_lowest = core.drop(core["low"].idxmin())
        without_highest = core.drop(core["high"].idxmax())
        core = min(without_lowest, without_highest, key=_span)
        if 0 < _span(core) < SQUEEZED * _span(rows):
            rows = core
            note = BEYOND
            break
    slack = 0.08 * (_span(rows) or 1)
    lowest = float(rows["low"].min())
    highest = float(rows["high"].max())
    return (lowest - slack, highest + slack), note


def _span(rows: pd.DataFrame) -> float:
    """Return how much of an axis the intervals of these rows take."""
    highest = rows["high"].max()
    lowest = rows["low"].min()
    return float(highest - lowest)


def _most_beyond(count: int) -> int:
    """Return how many of this many rows may be beyond the ends of an axis."""
    if count < 3:
        return 0
    return max(1, count // FEW)


def intervals(
    panel: Axes,
    value: "pd.Series[float]",
    low: "pd.Series[float]",
    high: "pd.Series[float]",
    axis: Ends,
) -> None:
    """Draw a dot a row, with a line from low to high.

    A line that leads beyond an end of the axis has an arrow there. Without a figure there is no
    axis.
    """
    values = value.to_numpy(dtype=np.float64)
    has_value = bool(np.isfinite(values).any())
    panel.xaxis.set_visible(has_value)
    lows = low.to_numpy(dtype=np.float64)
    highs = high.to_numpy(dtype=np.float64)
    least, most = axis
    row = np.arange(len(values))
    size = 34
    if len(values) > 24:
        size = 16
    panel.hlines(
        row,
        np.clip(lows, least, most),
        np.clip(highs, least, most),
        color=RATING,
        linewidth=size / 9,
        alpha=0.38,
        capstyle="round",
        zorder=2,
    )
    inside = (least <= values) & (values <= most)
    panel.scatter(
        values[inside],
        row[inside],
        s=size,
        color=RATING,
        zorder=3,
        clip_on=False,
        linewidths=0,
    )
    too_low = row[lows < least]
    too_high = row[highs > most]
    arrows = [
        (too_low, least, "<"),
        (too_high, most, ">"),
    ]
    for rows, end, arrow in arrows:
        panel.scatter(
            np.full(len(rows), end),
            rows,
            s=size,
            marker=arrow,
            color=RATING,
            zorder=3,
        )
    margin = 0.02 * (most - least)
    panel.set_xlim(least - margin, most + margin)


def bands(panel: Axes, groups: Sequence[object]) -> None:
    """Draw a pale ground behind every second group of neighbouring rows."""
    start = 0
    shaded = True
    for _, group in groupby(groups):
        end = start + len(list(group))
        if shaded:
            panel.axhspan(
                start - 0.5,
                end - 0.5,
                color=BAND,
                linewidth=0,
                zorder=0,
            )
        start = end
        shaded = not shaded
