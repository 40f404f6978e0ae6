"""How the ratings settle: what they would have been after a part of the matches.

The parts are cut by repeat and then by seed, so that each is a fair mixture of boards and pairs, and the same whatever
the order in which matches happened to end.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import COLOURS, FAINT, GREY, TEXT, About, Nothing, styled
from arena.charts.style.letters import shown, widest
from arena.charts.style.sheet import Room, bare, sheet
from arena.leaderboard import Results
from arena.leaderboard.arrays import Arrays
from arena.leaderboard.rated import columns
from arena.ratings import find

Marks = np.ndarray[Any, np.dtype[np.bool_]]

NAMED = 8  # bots that have a colour; the others are grey
WIDE, HIGH = 5.0, 3.2
LINE, TIE = 0.17, 0.32  # inches between names, and from a line to its name
PARTS = 8
REFITS = 100  # of a part: its interval is a shade on the picture, and in no table
FEWEST = 4  # parts: fewer make no curve


def frame(results: Results) -> pd.DataFrame:
    """A row for each part of the schedule and `bot`: how many `matches`, the `rating`, its `low` and `high`."""
    rule, seed = find(results.rating), results.event.seed
    rows: list[tuple[object, ...]] = []
    for kept in _parts(results.arrays):
        part = results.ratings
        if not kept.all():
            part = rule.rate(columns(_only(results.arrays, kept)), seed=seed, refits=REFITS)
        rows += ((int(kept.sum()), one.bot, *one.strength) for one in part.ratings)
    return pd.DataFrame(rows, columns=["matches", "bot", "rating", "low", "high"])


def _parts(arrays: Arrays) -> Iterator[Marks]:
    """Which matches are in each part; the legs of a pair are in the same."""
    order = np.lexsort((arrays.seed, arrays.repeat))
    new = np.diff(arrays.seed[order], prepend=-1) != 0
    block = np.empty_like(order)
    block[order] = np.cumsum(new) - 1
    count = int(new.sum())
    for share in sorted({-(-count * part // PARTS) for part in range(1, PARTS + 1)} if count >= FEWEST else ()):
        yield block < share


def _only(arrays: Arrays, kept: Marks) -> Arrays:
    """These matches, as if no other had been played."""
    seats = kept[arrays.match]
    return replace(
        arrays,
        **{name: getattr(arrays, name)[kept] for name in ("number", "repeat", "seed", "turns", "transcript")},
        **{name: getattr(arrays, name)[seats] for name in ("place", "entry", "score", "ending")},
        match=(np.cumsum(kept) - 1)[arrays.match[seats]],
    )


@styled
def draw(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """A line a bot over the number of matches; the best have colours, with their 95 % interval around the line."""
    if frame["matches"].nunique() < FEWEST or frame["bot"].nunique() < 2:
        return Nothing("too few matches")
    last = frame[frame["matches"] == frame["matches"].max()].sort_values("rating", ascending=False, kind="stable")
    named = list(last["bot"][:NAMED])
    names = shown(named)
    others = len(last) - len(named)
    rest = f"; grey: the other {others}" if others else ""
    made, (panel,) = sheet(
        about.title("how the ratings settle"),
        f"Rating after so many matches, with its 95 % interval{rest}",
        (WIDE, HIGH),
        room=Room(left=0.45, right=widest(names, TEXT) + TIE + 0.1, above=0.05, below=0.45),
    )
    for bot, table in frame.groupby("bot", sort=False):
        if bot not in named:
            panel.plot(table["matches"], table["rating"], color=FAINT, linewidth=0.8, zorder=1)
    for place, bot in enumerate(named):
        _line(panel, frame[frame["bot"] == bot], COLOURS[place], band=len(named) <= 4 or place < 3)
    panel.set(xlim=(frame["matches"].min(), frame["matches"].max()))
    _frame_in(panel, frame)
    _names(panel, names, last["rating"][:NAMED].tolist())
    panel.set_xlabel("matches", fontsize=8.5)
    panel.tick_params(axis="y", labelsize=8, labelcolor=GREY)
    bare(panel, grid="y")
    return made


def _line(panel: Axes, table: pd.DataFrame, colour: str, *, band: bool) -> None:
    panel.plot(table["matches"], table["rating"], color=colour, linewidth=1.8, zorder=3)
    if band:
        panel.fill_between(
            table["matches"], table["low"], table["high"], color=colour, alpha=0.13, linewidth=0, zorder=2
        )


def _frame_in(panel: Axes, frame: pd.DataFrame) -> None:
    """What the axis shows: all ratings but those of the first parts, which may be anywhere."""
    settled = frame[frame["matches"] > frame["matches"].unique()[1]]
    low, high = settled["rating"].min(), settled["rating"].max()
    slack = 0.08 * (high - low or 1)
    panel.set_ylim(low - slack, high + slack)


def _names(panel: Axes, names: list[str], ratings: list[float]) -> None:
    """Names at the ends of the lines, apart from each other, each tied to its line."""
    low, high = panel.get_ylim()
    wanted = [(rating - low) / (high - low) for rating in ratings]
    for place, (name, at, own) in enumerate(zip(names, apart(wanted, LINE / HIGH), wanted, strict=True)):
        colour, right = COLOURS[place], 1 + TIE / WIDE
        panel.plot([1, right], [own, at], color=colour, linewidth=0.8, transform=panel.transAxes, clip_on=False)
        panel.text(right + 0.01, at, name, transform=panel.transAxes, va="center_baseline", color=colour, fontsize=TEXT)


def apart(wanted: list[float], step: float) -> list[float]:
    """Heights, falling, at least a step apart, and on the whole as near as can be to those wanted, which fall too."""
    groups: list[tuple[float, int]] = []
    for place, height in enumerate(wanted):
        mean, count = height + place * step, 1
        while groups and groups[-1][0] < mean:
            above, held = groups.pop()
            mean, count = (above * held + mean * count) / (held + count), held + count
        groups.append((mean, count))
    level = [mean for mean, count in groups for _ in range(count)]
    return [height - place * step for place, height in enumerate(level)]
