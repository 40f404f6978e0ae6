"""Time per move against the limit. The one chart whose data are clock readings."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from arena.charts.style import COLOURS, GREY, PALE, axes, bare, figure, legend, rows, shown, tall
from arena.leaderboard import Results


def draw(results: Results) -> Figure:
    """For each bot: the median, the 99th percentile and the worst wall time of an answer, on a logarithmic axis."""
    table = results.timing()
    table = table[table["turns"] > 0]
    limit = results.event.conditions.time.move
    worst = table.groupby("bot")[["wall_p50", "wall_p99", "wall_max"]].max().clip(lower=1e-6)
    worst = worst.sort_values("wall_max", ascending=False)
    told = "no limit" if limit is None else f"the limit is {limit:g} s"
    made = figure(
        8.2, tall(len(worst), rest=1.6), f"{results.event.name}: time per move", f"Wall time of an answer; {told}"
    )
    (panel,) = axes(made)
    places = np.arange(len(worst))
    panel.hlines(places, worst["wall_p50"], worst["wall_max"], color=PALE, linewidth=5)
    for column, label, colour, mark in (
        ("wall_p50", "median", COLOURS[0], "o"),
        ("wall_p99", "99 % are faster", COLOURS[1], "D"),
        ("wall_max", "worst", COLOURS[5], "|"),
    ):
        panel.scatter(worst[column], places, s=44, color=colour, label=label, marker=mark, zorder=3)
    if limit is not None:
        panel.axvline(limit, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)), label="limit")
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(_duration))
    rows(panel, shown(worst.index))
    bare(panel)
    panel.tick_params(axis="x", which="both", colors=GREY)
    legend(panel)
    return made


def _duration(seconds: float, _position: object) -> str:
    if seconds >= 1:
        return f"{seconds:g} s"
    return f"{seconds * 1e3:g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
