"""Ratings as they change: a small panel for each of the best bots, others in grey."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import FAINT, GREY, RATING, SMALL, About
from arena.charts.style.markers import Ends, ends
from arena.charts.style.sheet import Panel, Space, best, sheet

MOST = 12  # panels
COLUMNS = 4  # of panels


class _Curve(NamedTuple):
    """A panel, and the lines in it."""

    panel: Panel
    rows: pd.DataFrame
    """Of the panel's bot, in order of time."""
    other_lines: list[npt.NDArray[np.float64]]
    """Points x 2, of each other bot of the game."""
    axis: Ends


def curves(
    frame: pd.DataFrame,
    about: About,
    along: str,
    subject: str,
    subtitle: str,
    texts: str = "",
) -> Figure:
    """Draw the rating and its interval of each `game` and `bot` over the column `along`.

    The axis shows all ratings of the game, and the last interval of each bot; earlier ones may be
    cut off. `texts` is a column of words for each point.
    """
    games = about.by_game(frame)
    panels_of_game = -(-MOST // len(games))  # rounded up
    curve_panels: list[_Curve] = []
    note = ""
    for heading, rows in games:
        last = rows.groupby("bot", sort=False).last()  # a row a bot
        last = last.sort_values("rating", ascending=False, kind="stable")
        bots, omitted = best(list(last.index), panels_of_game)
        note = note or omitted
        last = last.loc[bots]
        curve_panels += _curves_of_game(rows, last, about, along, heading)

    several_games = len(games) > 1
    between = 0.25
    if several_games:
        between = 0.45
    figure, axes = sheet(
        about.title(subject),
        f"{subtitle}; grey: the other bots{note}",
        [curve.panel for curve in curve_panels],
        wide=1.7,
        high=1.25,
        columns=COLUMNS,
        space=Space(left=0.4, right=0.15, between=between),
    )
    for number, (panel, curve) in enumerate(zip(axes, curve_panels, strict=True)):
        _draw(panel, curve, along, texts)
        # Panels of one game that stand side by side share the numbers of their axis.
        numbered = several_games or number % COLUMNS == 0
        panel.tick_params(labelsize=SMALL, labelcolor=GREY, labelleft=numbered)
    return figure


def _curves_of_game(
    rows: pd.DataFrame,
    last: pd.DataFrame,
    about: About,
    along: str,
    heading: tuple[str, ...],
) -> list[_Curve]:
    """Return the panels of the bots in the index of `last`, which has the last row of each."""
    points = rows.assign(rating_low=rows["rating"], rating_high=rows["rating"])
    every_row = pd.concat([last, points])
    axis, _ = ends(
        every_row["rating"],
        every_row["rating_low"],
        every_row["rating_high"],
    )
    lines = {}
    for bot, table in rows.groupby("bot", sort=False):
        coordinates = table[[along, "rating"]]
        lines[bot] = coordinates.to_numpy(dtype=float)  # points x 2

    curve_panels = []
    labels = about.labels(last.index)
    for bot, label in zip(last.index, labels, strict=True):
        other_lines = [line for rival, line in lines.items() if rival != bot]
        curve = _Curve(
            panel=Panel(heading=(label, *heading)),
            rows=rows[rows["bot"] == bot],
            other_lines=other_lines,
            axis=axis,
        )
        curve_panels.append(curve)
    return curve_panels


def _draw(
    panel: Axes,
    curve: _Curve,
    along: str,
    texts: str,
) -> None:
    """Draw the lines of a panel, with the words of the column `texts` at the points of its bot."""
    other_lines = LineCollection(
        curve.other_lines,
        colors=FAINT,
        linewidths=0.6,
        zorder=1,
    )
    panel.add_collection(other_lines)
    x = curve.rows[along]
    rating = curve.rows["rating"]
    least, most = curve.axis
    low = np.clip(curve.rows["rating_low"], least, most)
    high = np.clip(curve.rows["rating_high"], least, most)
    panel.fill_between(
        x,
        low,
        high,
        color=RATING,
        alpha=0.18,
        linewidth=0,
        zorder=2,
    )
    panel.plot(
        x,
        rating,
        color=RATING,
        linewidth=1.6,
        marker="o",
        markersize=2.5,
        zorder=3,
    )
    if texts:
        points = zip(x, rating, strict=True)
        words = curve.rows[texts]
        for point, text in zip(points, words, strict=True):
            panel.annotate(
                str(text),
                point,
                (0, 4),
                textcoords="offset points",
                fontsize=SMALL,
                ha="center",
            )
    panel.set(ylim=(least, most))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))
    panel.yaxis.set_major_locator(MaxNLocator(nbins=4))
    panel.grid(axis="y")
