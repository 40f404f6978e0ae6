"""Metrics that bots reported in their remarks, such as depth and nodes."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from arena.charts.style import METRIC, PALE, About, Nothing, styled
from arena.charts.style.markers import ends
from arena.charts.style.sheet import ROWS, Panel, Space, best, sheet
from arena.results.leaderboard import Results
from arena.results.leaderboard.metrics import SAMPLE

PANELS = 6
SPREAD = 50  # largest to smallest: from here on the axis is logarithmic
SHARES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `metric` and `bot`.

    It has the number of `values`, and their quantiles `p05` ... `p95`.
    """
    values = results.metrics(most=SAMPLE)
    if not len(values):
        return pd.DataFrame(columns=["metric", "bot", *SHARES, "values"])
    grouped = values.groupby(["metric", "bot"], sort=True)["value"]
    shares = np.array(list(SHARES.values()))
    quantiles = grouped.quantile(shares)  # a row for each metric, bot and share
    table = quantiles.unstack()  # a column a share
    table.columns = pd.Index(list(SHARES))
    table = table.assign(values=grouped.size())
    return table.reset_index()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a metric, a row a bot: median, middle half, and middle nine tenths."""
    if not len(frame):
        return Nothing("no bot reported any")
    value_counts = frame.groupby("metric")["values"].sum()
    value_counts = value_counts.sort_values(ascending=False, kind="stable")
    metrics = list(value_counts.index)
    panels = []
    tables = []
    axes_ends = []
    beyond = ""
    omitted = ""
    for name in sorted(metrics[:PANELS]):
        table = frame[frame["metric"] == name]
        table = table.set_index("bot")
        # The axis has room for all bots, though only the best of many have a row.
        axis, note = ends(table["p50"], table["p05"], table["p95"])
        bots, note_of_panel = best(about.order(table.index), ROWS)
        labels = tuple(about.labels(bots))
        panels.append(Panel(heading=(name,), names=labels))
        tables.append(table.loc[bots])
        axes_ends.append(axis)
        beyond = beyond or note
        omitted = max(omitted, note_of_panel, key=len)
    more = ""
    if len(metrics) > PANELS:
        more = f"; {len(metrics) - PANELS} more are not drawn"
    figure, axes = sheet(
        about.title("what bots report"),
        "Metrics in remarks: median, middle half, and all but 5 % at each end"
        f"{beyond}{more}{omitted}",
        panels,
        wide=1.7,
        columns=3,
        space=Space(right=0.15, between=0.35),
    )
    for panel, table, (least, most) in zip(axes, tables, axes_ends, strict=True):
        _panel(panel, table, least, most)
    return figure


def _panel(
    panel: Axes,
    table: pd.DataFrame,
    least: float,
    most: float,
) -> None:
    """Draw the quantiles of a metric, a row a bot, on an axis from `least` to `most`."""
    row = np.arange(len(table))
    line_width = 3.6
    dot_size = 12
    if len(table) <= 24:
        line_width = 6
        dot_size = 26
    low = table["p05"].min()
    high = table["p95"].max()
    if low > 0 and high / low > SPREAD:
        panel.set_xscale("log")
        panel.xaxis.set_major_locator(LogLocator(numticks=4))
        panel.xaxis.set_minor_locator(NullLocator())
        least = 0.8 * low
        most = 1.25 * high
    else:
        locator = MaxNLocator(nbins=4, steps=[1, 2, 5, 10])
        panel.xaxis.set_major_locator(locator)
    across = panel.get_yaxis_transform()
    panel.hlines(
        row,
        0,
        1,
        color=PALE,
        linewidth=0.6,
        transform=across,
        zorder=0,
    )
    panel.hlines(
        row,
        table["p05"],
        table["p95"],
        color=METRIC,
        zorder=2,
        linewidth=1.2,
    )
    panel.hlines(
        row,
        table["p25"],
        table["p75"],
        color=METRIC,
        zorder=2,
        linewidth=line_width,
        alpha=0.45,
    )
    panel.scatter(
        table["p50"].clip(least, most),
        row,
        s=dot_size,
        color=METRIC,
        zorder=3,
        linewidths=0,
    )
    too_low = row[table["p05"] < least]
    too_high = row[table["p95"] > most]
    _arrows(panel, least, "<", too_low)
    _arrows(panel, most, ">", too_high)
    panel.set_xlim(least, most)
    panel.xaxis.set_major_formatter(FuncFormatter(_tick))
    panel.grid(axis="x")


def _arrows(
    panel: Axes,
    edge: float,
    arrow: str,
    rows: npt.NDArray[np.int64],
) -> None:
    """Draw an arrow at an edge of the axis in each of these rows, which lead beyond it."""
    panel.scatter(
        np.full(len(rows), edge),
        rows,
        s=26,
        marker=arrow,
        color=METRIC,
        zorder=4,
        clip_on=False,
    )


def _tick(value: float, _position: object) -> str:
    """Write a number of the axis; thousands as `2k`."""
    if abs(value) >= 1000:
        return EngFormatter(sep="")(value)
    return f"{value:g}".replace("-", "\u2212")
