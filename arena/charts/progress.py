"""Progress of the bots: the rating of each version, and the rank that it had while it played."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import BEST_BOTS, GREY, SMALL, TEXT, About, Nothing, styled
from arena.charts.style.sheet import Space, bare, sheet
from arena.results.leaderboard import Results

WIDE, HIGH = 5.0, 3.2  # inches
DODGE = 0.08  # of the step between two versions, from one bot to the next, so that intervals do not hide each other
LEGEND_ROW = 0.24  # inches
LEGEND_COLUMNS = 3
MOST = len(BEST_BOTS)
OPEN_REACH = 0.25  # of the height of all ratings: as far goes the line of an interval that is open


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` and `version`: its `rank` in its time, its `rating`, `rating_low`, `rating_high`."""
    return results.versions()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a line for each bot over its versions: rating with its 95 % interval, and at each point the rank."""
    counts = frame.groupby("bot")["version"].max() if len(frame) else pd.Series(dtype=int)
    changed = counts[counts > 1]
    if changed.empty:
        return Nothing("no bot has played in two versions")
    last = frame[frame["bot"].isin(changed.index)].groupby("bot")["rating"].last()
    order = list(last.sort_values(ascending=False, kind="stable").index)
    bots = order[:MOST]
    shown_rows = frame[frame["bot"].isin(bots)]
    names = about.labels(bots)
    rows = -(-len(bots) // LEGEND_COLUMNS)
    figure, (panel,) = sheet(
        about.title("how the bots developed"),
        f"Rating of each version{f' in {about.unit}' if about.unit else ''}, with its 95 % interval; the number is its "
        f"rank at the time{f'; the best {MOST} of {len(order)} bots with versions' if len(order) > MOST else ''}",
        (WIDE, HIGH),
        space=Space(left=0.45, right=0.2, below=0.45, top=LEGEND_ROW * rows + 0.1),
    )
    finite = shown_rows[["rating", "rating_low", "rating_high"]].replace([-np.inf, np.inf], np.nan)
    low, high = float(finite.min().min()), float(finite.max().max())
    reach = OPEN_REACH * (high - low or 1)
    for number, (bot, name) in enumerate(zip(bots, names, strict=True)):
        versions = shown_rows[shown_rows["bot"] == bot]
        at = versions["version"].to_numpy(dtype=float) + DODGE * (number - (len(bots) - 1) / 2)
        colour = BEST_BOTS[number]
        panel.plot(at, versions["rating"], color=colour, linewidth=1.6, marker="o", markersize=4, label=name, zorder=3)
        panel.vlines(
            at,
            versions["rating_low"].clip(lower=low - reach),
            versions["rating_high"].clip(upper=high + reach),
            color=colour,
            linewidth=1.0,
            alpha=0.6,
        )
        for x, rating, rank in zip(at, versions["rating"], versions["rank"], strict=True):
            panel.annotate(str(rank), (x, rating), (4, 3), textcoords="offset points", fontsize=SMALL, color=colour)
    panel.set_xlim(0.6, int(shown_rows["version"].max()) + 0.4)
    panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    panel.set_xlabel("version, in the order in which they played", fontsize=8.5)
    panel.tick_params(axis="y", labelsize=8, labelcolor=GREY)
    bare(panel, grid="y")
    panel.legend(
        loc="lower left", bbox_to_anchor=(0, 1.01), ncols=LEGEND_COLUMNS, frameon=False, fontsize=TEXT, borderaxespad=0
    )
    return figure
