"""Who stands where: what decides the rank, and who met whom with what result, from arrays. Pure.

The rating decides; bots of equal rating are told apart by points, then by the event's tie-breaks in their order; bots
that are still alike share a rank and stand by name. Bots that never played come last, without a rank.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from operator import attrgetter
from typing import Any

import numpy as np

from arena import tiebreaks
from arena.leaderboard.arrays import Arrays, Ints
from arena.ratings import Ratings
from arena.standings import Standing
from arena.tiebreaks import Crosstable

Marks = np.ndarray[Any, np.dtype[np.bool_]]

ALIKE = 9
"""Decimals of a rating: what differs only beyond them is equal."""


def ranked(
    standings: Sequence[Standing], ratings: Ratings, table: Callable[[], Crosstable], tie_breaks: Sequence[str]
) -> tuple[Standing, ...]:
    """The standings as the ratings order them; `table` is asked for only where something is tied."""
    strength = {one.bot: round(one.strength.value, ALIKE) for one in ratings.ratings}
    worth = {one.bot: (strength[one.bot], one.points) for one in standings if one.points is not None}
    level = {value: float(place) for place, value in enumerate(sorted(set(worth.values())))}
    wanted = tie_breaks if len(level) < len(worth) else ()
    own = {one.bot: one for one in standings}
    levels = {bot: level[value] for bot, value in worth.items()}
    placed = tiebreaks.place(levels, table() if wanted else Crosstable({}), wanted)
    return (
        *(replace(own[one.bot], rank=one.rank, tie_breaks=one.tiebreaks) for one in placed),
        *(one for one in standings if one.points is None),
    )


def met(arrays: Arrays) -> Crosstable:
    """What `tiebreaks.crosstable` makes of the same matches, all at once."""
    bots, bot = arrays.coded(attrgetter("bot"))
    entry, score = arrays.by_place(arrays.entry), arrays.by_place(arrays.score)
    side = np.array([one.side for one in arrays.entries] + [-1], dtype=np.int64)[entry]  # the last: no such seat
    held = np.append(bot, -1)[entry]
    places = range(entry.shape[1])
    best = np.stack([np.where(side == side[:, [at]], score, -1).max(axis=1) for at in places], axis=1)
    first = np.stack([_first(held, side, at) for at in places], axis=1)
    cells = [np.zeros(0, dtype=np.int64)]
    for one, other in permutations(places, 2):
        apart = first[:, one] & first[:, other] & (side[:, one] != side[:, other]) & (held[:, one] != held[:, other])
        ahead = np.sign(best[:, one] - best[:, other])[apart]
        cells.append((held[apart, one] * len(bots) + held[apart, other]) * 3 + ahead + 1)
    keys, counts = np.unique(np.concatenate(cells), return_counts=True)
    return tiebreaks.counted(
        (bots[key // 3 // len(bots)], bots[key // 3 % len(bots)], key % 3 - 1, count)
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True)
    )


def _first(held: Ints, side: Ints, at: int) -> Marks:
    """In which matches there is a seat at this place, and its bot has none before it on its side."""
    new: Marks = held[:, at] >= 0
    for before in range(at):
        new &= (held[:, before] != held[:, at]) | (side[:, before] != side[:, at])
    return new
