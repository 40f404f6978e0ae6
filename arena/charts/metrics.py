"""Metrics that bots reported in their remarks, such as depth and nodes."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from arena.charts.style import GREY, METRIC, PALE, About, Nothing, styled
from arena.charts.style.letters import shown, widest
from arena.charts.style.sheet import ROWS, Space, bare, best, heading, row_height, row_size, rows, sheet
from arena.results.leaderboard import Results
from arena.results.leaderboard.metrics import SAMPLE

COLUMNS, PANELS = 3, 6
WIDE = 1.7
SPREAD = 50  # largest to smallest: from here on the axis is logarithmic
SHARES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `metric` and `bot`: how many `values`, and quantiles of them, `p05` ... `p95`."""
    values = results.metrics(most=SAMPLE)
    if not len(values):
        return pd.DataFrame(columns=["metric", "bot", *SHARES, "values"])
    grouped = values.groupby(["metric", "bot"], sort=True)["value"]
    table = grouped.quantile(np.array([*SHARES.values()])).unstack()
    table.columns = pd.Index(list(SHARES))
    return table.assign(values=grouped.size()).reset_index()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a metric, a row a bot: the median, the middle half, and the middle nine tenths."""
    if not len(frame):
        return Nothing("no bot reported any")
    metrics = list(frame.groupby("metric")["values"].sum().sort_values(ascending=False, kind="stable").index)
    chosen = sorted(metrics[:PANELS])
    order, omitted = best(about.order(frame[frame["metric"].isin(chosen)]["bot"]), ROWS)
    columns = min(COLUMNS, len(chosen))
    names, size = about.labels(order), row_size(len(order))
    more = f"; {len(metrics) - PANELS} more are not drawn" if len(metrics) > PANELS else ""
    figure, panels = sheet(
        about.title("what bots report"),
        f"Metrics in remarks: median, middle half, and all but 5 % at each end{more}{omitted}",
        (WIDE, row_height(len(order)) * len(order)),
        grid=(-(-len(chosen) // columns), columns),
        space=Space(left=widest(names, size) + 0.12, right=0.15, between=0.35, above=0.28, below=0.32),
    )
    for number, panel in enumerate(panels):
        if number >= len(chosen):
            panel.set_axis_off()
            continue
        table = frame[frame["metric"] == chosen[number]].set_index("bot").reindex(order)
        _panel(panel, table)
        heading(panel, shown([chosen[number]], 24)[0])
        rows(panel, names, named=number % columns == 0)
    return figure


def _panel(panel: Axes, table: pd.DataFrame) -> None:
    y = np.arange(len(table))
    few = len(table) <= 24
    panel.hlines(y, 0, 1, color=PALE, linewidth=0.6, transform=panel.get_yaxis_transform(), zorder=0)
    panel.hlines(y, table["p05"], table["p95"], color=METRIC, linewidth=1.2, zorder=2)
    panel.hlines(y, table["p25"], table["p75"], color=METRIC, linewidth=6 if few else 3.6, alpha=0.45, zorder=2)
    panel.scatter(table["p50"], y, s=26 if few else 12, color=METRIC, zorder=3, linewidths=0)
    low, high = table["p05"].min(), table["p95"].max()
    if low == high:
        panel.set(xlim=(low - 1, low + 1), xticks=[low])
    elif low > 0 and high / low > SPREAD:
        panel.set_xscale("log")
        panel.xaxis.set_major_locator(LogLocator(numticks=4))
        panel.xaxis.set_minor_locator(NullLocator())
    else:
        panel.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    panel.xaxis.set_major_formatter(FuncFormatter(short))
    panel.tick_params(axis="x", labelcolor=GREY)
    bare(panel)


def short(value: float, _position: object = None) -> str:
    """Return a figure in few letters: 1200 as 1.2k."""
    size = abs(value)
    for least, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= least:
            return f"{value / least:g}{letter}".replace("-", "\u2212")
    return f"{value:g}".replace("-", "\u2212")
