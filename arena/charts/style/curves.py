"""Ratings as they change: a small panel for each of the best bots, in which the lines of all others are grey."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import FAINT, GREY, RATING, SMALL, About
from arena.charts.style.markers import ends
from arena.charts.style.sheet import Panel, Space, bare, best, sheet

MOST = 12  # panels


def curves(frame: pd.DataFrame, about: About, along: str, subject: str, subtitle: str, texts: str = "") -> Figure:
    """Draw `rating` with `rating_low` and `rating_high` of each `bot` over the column `along`.

    The axis shows all ratings, and the last interval of each bot; earlier ones may be cut off. `texts` is a column of
    words for each point.
    """
    last = frame.groupby("bot", sort=False).last()
    bots, omitted = best(list(last.sort_values("rating", ascending=False, kind="stable").index), MOST)
    shown = last.loc[bots].reset_index()
    every = pd.concat([shown, frame.assign(rating_low=frame["rating"], rating_high=frame["rating"])])
    (least, most), _ = ends(every["rating"], every["rating_low"], every["rating_high"])
    figure, axes = sheet(
        about.title(subject),
        f"{subtitle}; grey: the other bots{omitted}",
        [Panel(heading=(label,)) for label in about.labels(bots)],
        wide=1.7,
        high=1.25,
        columns=4,
        space=Space(left=0.4, right=0.15),
    )
    lines = [(bot, table) for bot, table in frame.groupby("bot", sort=False)]
    for number, (panel, bot) in enumerate(zip(axes, bots, strict=True)):
        for other, table in lines:
            panel.plot(table[along], table["rating"], color=FAINT, linewidth=0.6, zorder=1, visible=other != bot)
        own = frame[frame["bot"] == bot]
        low, high = (np.clip(own[f"rating_{end}"], least, most) for end in ("low", "high"))
        panel.fill_between(own[along], low, high, color=RATING, alpha=0.18, linewidth=0, zorder=2)
        panel.plot(own[along], own["rating"], color=RATING, linewidth=1.6, marker="o", markersize=2.5, zorder=3)
        for x, y, text in zip(own[along], own["rating"], own[texts] if texts else (), strict=False):
            panel.annotate(str(text), (x, y), (0, 4), textcoords="offset points", fontsize=SMALL, ha="center")
        panel.set(ylim=(least, most))
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))
        panel.yaxis.set_major_locator(MaxNLocator(nbins=4))
        panel.tick_params(labelsize=SMALL, labelcolor=GREY, labelleft=number % 4 == 0)
        bare(panel, grid="y")
    return figure
