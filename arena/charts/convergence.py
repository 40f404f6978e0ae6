"""Convergence of the ratings: the ratings after one part of the matches, after two parts, and so on.

The parts are cut by repeat and then by seed, so that each is a fair mixture of boards and pairs, and the same whatever
the order in which matches happened to end.
"""

from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import BEST_BOTS, FAINT, GREY, TEXT, About, Nothing, styled
from arena.charts.style.gap import GAP_NOTE, gap_in
from arena.charts.style.letters import widest
from arena.charts.style.sheet import Space, bare, sheet
from arena.results.leaderboard import Results
from arena.results.ratings import find

Mask = np.ndarray[Any, np.dtype[np.bool_]]

NAMED = 8  # bots that have a colour; the others are grey
WIDE, HIGH = 5.0, 3.2
LINE, TIE = 0.17, 0.32  # inches between names, and from a line to its name
PARTS = 8
MANY = 100  # bots; of more there are as few parts as can be: to rate 300 takes 12 s of a core, each time
REFITS = 100  # of a part: its interval is a shade on the picture, and in no table
FAR = 1e4  # in any unit far beyond what is shown: where an open interval ends
WILD = 4  # times the widest interval of the last part: parts before that are not drawn, as they would fill the picture
SPREAD, ALL_SPREAD = 3, 4  # bots whose intervals are drawn where there are more than that many
FEWEST = 4  # parts: fewer make no curve


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each part of the schedule and `bot`: how many `matches`, the `rating`, its `low` and `high`."""
    rule, seed = find(results.rating), results.event.resampling_seed
    rows: list[tuple[object, ...]] = []
    arrays = results.arrays
    # The legs of a pair have one seed, so they are one block, and a part has whole blocks.
    order = np.lexsort((arrays.seed, arrays.repeat))
    new = np.diff(arrays.seed[order], prepend=-1) != 0
    block = np.empty_like(order)
    block[order] = np.cumsum(new) - 1
    count = int(new.sum())
    parts = PARTS if len(arrays.coded(attrgetter("bot"))[0]) <= MANY else FEWEST
    for share in sorted({-(-count * part // parts) for part in range(1, parts + 1)} if count >= FEWEST else ()):
        counted, part = block < share, results.ratings
        if not counted.all():
            part = rule.rate(arrays.select(counted), seed=seed, refits=REFITS)
        rows += ((int(counted.sum()), rating.bot, *rating.strength) for rating in part.ratings)
    return pd.DataFrame(rows, columns=["matches", "bot", "rating", "low", "high"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a line a bot over the number of matches; the best have colours, with their 95 % interval around the line."""
    if frame["matches"].nunique() < FEWEST or frame["bot"].nunique() < 2:
        return Nothing("too few matches")
    last = frame[frame["matches"] == frame["matches"].max()].sort_values("rating", ascending=False, kind="stable")
    named = list(last["bot"][:NAMED])
    names = about.labels(named)
    spread = SPREAD if len(named) > ALL_SPREAD else len(named)
    whose = "" if spread == len(named) else f" of the best {spread}"
    frame = _settled(frame, named[:spread])
    unnamed = len(last) - len(named)
    unnamed_text = f"; grey: the other {unnamed}" if unnamed else ""
    reaches = frame.assign(  # as far as anything of each line is drawn
        **{end: frame[end].where(frame["bot"].isin(named[:spread]), frame["rating"]) for end in ("low", "high")}
    )
    finite = reaches.replace([-np.inf, np.inf], np.nan)  # min and max leave out what is missing
    ends = finite.groupby("bot").agg({"rating": "last", "low": "min", "high": "max"})
    lines = reaches.groupby("bot")["rating"].agg(["min", "max"])
    gap = gap_in(ends["rating"], ends["low"].clip(upper=lines["min"]), ends["high"].clip(lower=lines["max"]))
    figure, (panel,) = sheet(
        about.title("how the ratings settle"),
        f"Rating after so many matches, with the 95 % interval{whose}{unnamed_text}{GAP_NOTE if gap else ''}",
        (WIDE, HIGH),
        space=Space(left=0.45, right=widest(names, TEXT) + TIE + 0.1, above=0.05, below=0.45),
    )
    for bot, table in frame.groupby("bot", sort=False):
        if bot not in named:
            panel.plot(table["matches"], table["rating"], color=FAINT, linewidth=0.8, zorder=1)
    for index, bot in enumerate(named):
        table, colour = frame[frame["bot"] == bot], BEST_BOTS[index]
        panel.plot(table["matches"], table["rating"], color=colour, linewidth=1.8, zorder=3)
        if index < spread:
            low, high = table["low"].clip(-FAR), table["high"].clip(upper=FAR)
            panel.fill_between(table["matches"], low, high, color=colour, alpha=0.13, linewidth=0, zorder=2)
    panel.set(xlim=(frame["matches"].min(), frame["matches"].max()))
    if gap:
        gap.mark(panel, "y")
    else:
        low, high = min(ends["low"].min(), lines["min"].min()), max(ends["high"].max(), lines["max"].max())
        slack = 0.04 * (high - low or 1)
        panel.set_ylim(low - slack, high + slack)
    _names(panel, names, last["rating"][:NAMED].tolist())
    panel.set_xlabel("matches", fontsize=8.5)
    panel.tick_params(axis="y", labelsize=8, labelcolor=GREY)
    bare(panel, grid="y")
    return figure


def _settled(frame: pd.DataFrame, spread: list[str]) -> pd.DataFrame:
    """Return the parts after the last one with an interval much wider than the widest of the final part."""
    rows = frame[frame["bot"].isin(spread)]
    wide = (rows["high"] - rows["low"]).where(np.isfinite(rows["high"] - rows["low"])).groupby(rows["matches"]).max()
    wild = wide.index[wide > WILD * wide.iloc[-1]]
    settled = frame[frame["matches"] > wild.max()] if len(wild) else frame
    return settled if settled["matches"].nunique() > 1 else frame


def _names(panel: Axes, names: list[str], ratings: list[float]) -> None:
    """Write names at the ends of the lines, apart from each other, each tied to its line."""
    to_page, to_panel = panel.transData, panel.transAxes.inverted()
    ends = [float(to_panel.transform(to_page.transform((0, rating)))[1]) for rating in ratings]
    within = [min(height, 1 - index * LINE / HIGH) for index, height in enumerate(ends)]  # none beyond the upper edge
    for index, (name, at, end) in enumerate(zip(names, apart(within, LINE / HIGH), ends, strict=True)):
        colour, right = BEST_BOTS[index], 1 + TIE / WIDE
        panel.plot([1, right], [end, at], color=colour, linewidth=0.8, transform=panel.transAxes, clip_on=False)
        panel.text(right + 0.01, at, name, transform=panel.transAxes, va="center_baseline", color=colour, fontsize=TEXT)


def apart(heights: list[float], step: float) -> list[float]:
    """Return falling heights, at least a step apart, as near as possible to these falling heights (least squares)."""
    groups: list[tuple[float, int]] = []
    for index, height in enumerate(heights):
        mean, count = height + index * step, 1
        while groups and groups[-1][0] < mean:
            above, held = groups.pop()
            mean, count = (above * held + mean * count) / (held + count), held + count
        groups.append((mean, count))
    level = [mean for mean, count in groups for _ in range(count)]
    return [height - index * step for index, height in enumerate(level)]
