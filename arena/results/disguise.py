"""How much of a bot's play is memory: its rating on boards as they are, and on the same boards in disguise.

One fit rates both. In it a bot in disguise counts as another bot. Both are measured by the bots that need no language
model, because those always see the plain game.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arena.results.arrays import Arrays
from arena.results.ratings import Ratings, Strength
from arena.results.ratings.fitting.intervals import difference
from arena.values import DISGUISED


class Memory(NamedTuple):
    """A bot that played boards both ways."""

    bot: str
    plain: Strength
    disguised: Strength
    difference: Strength | None
    """Plain minus disguised; None where no match ties the two together."""


def with_disguised_bots(arrays: Arrays, askers: Collection[str]) -> Arrays:
    """Return the matches on boards that were played both ways, with another name for each asker in disguise."""
    labels = {entry.label for entry in arrays.entries}
    both = {
        label for label in labels if not label.endswith(DISGUISED) and label + DISGUISED in labels
    }
    played = np.array(
        [entry.label.removesuffix(DISGUISED) in both for entry in arrays.entries], dtype=np.bool_
    )
    chosen = arrays.select(arrays.by_match(played[arrays.entry].astype(np.int64))[:, 0] == 1)
    entries = tuple(
        entry._replace(
            board=entry.board.removesuffix(DISGUISED),
            bot=entry.bot + DISGUISED
            if entry.bot in askers and entry.board.endswith(DISGUISED)
            else entry.bot,
        )
        for entry in chosen.entries
    )
    return replace(chosen, entries=entries)


def memories(ratings: Ratings) -> Iterator[Memory]:
    """Yield each bot that a fit of `with_disguised_bots` has twice, the one that remembers most first."""
    strengths = {rating.bot: rating.strength for rating in ratings.ratings}
    found = []
    for bot in strengths.keys() & {
        name.removesuffix(DISGUISED) for name in strengths if name.endswith(DISGUISED)
    }:
        names = bot, bot + DISGUISED
        tied = any(set(names) <= set(group) for group in ratings.groups)
        apart = difference(ratings, *names) if tied else None
        found.append(Memory(bot, strengths[bot], strengths[names[1]], apart))
    yield from sorted(
        found, key=lambda each: (-each.difference.value if each.difference else np.inf, each.bot)
    )
