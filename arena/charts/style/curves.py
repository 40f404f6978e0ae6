"""Ratings as they change: a small panel for each of the best bots, others in grey."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import FAINT, GREY, RATING, SMALL, About
from arena.charts.style.markers import Ends, ends
from arena.charts.style.sheet import Panel, Space, best, sheet

MOST = 12  # panels


def curves(
    frame: pd.DataFrame, about: About, along: str, subject: str, subtitle: str, texts: str = ""
) -> Figure:
    """Draw the rating and its interval of each `game` and `bot` over the column `along`.

    The axis shows all ratings of the game, and the last interval of each bot; earlier ones may be
    cut off. `texts` is a column of words for each point.
    """
    panels: list[tuple[Panel, pd.DataFrame, list[npt.NDArray[np.float64]], Ends]] = []
    games, note = about.by_game(frame), ""
    for heading, rows in games:
        last = (
            rows.groupby("bot", sort=False)
            .last()
            .sort_values("rating", ascending=False, kind="stable")
        )
        bots, omitted = best(list(last.index), -(-MOST // len(games)))
        note = note or omitted
        every = pd.concat(
            [last.loc[bots], rows.assign(rating_low=rows["rating"], rating_high=rows["rating"])]
        )
        axis, _ = ends(every["rating"], every["rating_low"], every["rating_high"])
        lines = {
            bot: table[[along, "rating"]].to_numpy(dtype=float)
            for bot, table in rows.groupby("bot", sort=False)
        }
        panels += [
            (
                Panel(heading=(label, *heading)),
                rows[rows["bot"] == bot],
                [line for other, line in lines.items() if other != bot],
                axis,
            )
            for bot, label in zip(bots, about.labels(bots), strict=True)
        ]
    figure, axes = sheet(
        about.title(subject),
        f"{subtitle}; grey: the other bots{note}",
        [panel for panel, *_ in panels],
        wide=1.7,
        high=1.25,
        columns=4,
        space=Space(left=0.4, right=0.15, between=0.45 if len(games) > 1 else 0.25),
    )
    for number, (panel, (_, own, others, (least, most))) in enumerate(
        zip(axes, panels, strict=True)
    ):
        panel.add_collection(LineCollection(others, colors=FAINT, linewidths=0.6, zorder=1))
        low, high = (np.clip(own[f"rating_{end}"], least, most) for end in ("low", "high"))
        panel.fill_between(own[along], low, high, color=RATING, alpha=0.18, linewidth=0, zorder=2)
        panel.plot(
            own[along],
            own["rating"],
            color=RATING,
            linewidth=1.6,
            marker="o",
            markersize=2.5,
            zorder=3,
        )
        for x, y, text in zip(own[along], own["rating"], own[texts] if texts else (), strict=False):
            panel.annotate(
                str(text), (x, y), (0, 4), textcoords="offset points", fontsize=SMALL, ha="center"
            )
        panel.set(ylim=(least, most))
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))
        panel.yaxis.set_major_locator(MaxNLocator(nbins=4))
        panel.tick_params(
            labelsize=SMALL, labelcolor=GREY, labelleft=number % 4 == 0 or len(games) > 1
        )
        panel.grid(axis="y")
    return figure
