"""Metrics that bots reported in their remarks, such as depth and nodes."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from arena.charts.style import METRIC, PALE, About, Nothing, styled
from arena.charts.style.markers import BEYOND, ends
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
    table = grouped.quantile(np.array([*SHARES.values()])).unstack()
    table.columns = pd.Index(list(SHARES))
    return table.assign(values=grouped.size()).reset_index()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a metric, a row a bot: median, middle half, and middle nine tenths."""
    if not len(frame):
        return Nothing("no bot reported any")
    metrics = list(
        frame.groupby("metric")["values"].sum().sort_values(ascending=False, kind="stable").index
    )
    tables = {
        name: frame[frame["metric"] == name].set_index("bot") for name in sorted(metrics[:PANELS])
    }
    kept = {name: best(about.order(table.index), ROWS) for name, table in tables.items()}
    more = f"; {len(metrics) - PANELS} more are not drawn" if len(metrics) > PANELS else ""
    axes_ends = {
        name: ends(table["p50"], table["p05"], table["p95"]) for name, table in tables.items()
    }
    beyond = BEYOND if any(note for _, note in axes_ends.values()) else ""
    figure, axes = sheet(
        about.title("what bots report"),
        "Metrics in remarks: median, middle half, and all but 5 % at each end"
        f"{beyond}{more}{max((omitted for _, omitted in kept.values()), key=len)}",
        [
            Panel(heading=(name,), names=tuple(about.labels(bots)))
            for name, (bots, _) in kept.items()
        ],
        wide=1.7,
        columns=3,
        space=Space(right=0.15, between=0.35),
    )
    for panel, (name, (bots, _)) in zip(axes, kept.items(), strict=True):
        _panel(panel, tables[name].loc[bots], *axes_ends[name][0])
    return figure


def _panel(panel: Axes, table: pd.DataFrame, least: float, most: float) -> None:
    y, few = np.arange(len(table)), len(table) <= 24
    low, high = table["p05"].min(), table["p95"].max()
    if low > 0 and high / low > SPREAD:
        panel.set_xscale("log")
        panel.xaxis.set_major_locator(LogLocator(numticks=4))
        panel.xaxis.set_minor_locator(NullLocator())
        least, most = 0.8 * low, 1.25 * high
    else:
        panel.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    panel.hlines(
        y, 0, 1, color=PALE, linewidth=0.6, transform=panel.get_yaxis_transform(), zorder=0
    )
    for begin, end, style in (
        ("p05", "p95", {"linewidth": 1.2}),
        ("p25", "p75", {"linewidth": 6 if few else 3.6, "alpha": 0.45}),
    ):
        panel.hlines(y, table[begin], table[end], color=METRIC, zorder=2, **style)
    panel.scatter(
        table["p50"].clip(least, most), y, s=26 if few else 12, color=METRIC, zorder=3, linewidths=0
    )
    for edge, arrow, beyond in (
        (least, "<", table["p05"] < least),
        (most, ">", table["p95"] > most),
    ):
        panel.scatter(
            np.full(beyond.sum(), edge),
            y[beyond],
            s=26,
            marker=arrow,
            color=METRIC,
            zorder=4,
            clip_on=False,
        )
    panel.set_xlim(least, most)
    thousands = EngFormatter(sep="")
    panel.xaxis.set_major_formatter(
        FuncFormatter(
            lambda value, _: (
                thousands(value) if abs(value) >= 1000 else f"{value:g}".replace("-", "\u2212")
            )
        )
    )
    panel.grid(axis="x")
