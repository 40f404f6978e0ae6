"""How much of a bot's play is memory: its ratings on plain boards and on the same in disguise.

One fit rates both. In it a bot in disguise counts as another bot. Both are measured by the bots
that need no language model, because those always see the plain game.
"""

from collections.abc import Collection
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
    """Return the matches on boards that were played both plain and in disguise.

    In them each asker has another name in disguise.
    """
    labels = {entry.label for entry in arrays.entries}
    chosen = []
    for entry in arrays.entries:
        plain = entry.label.removesuffix(DISGUISED)
        chosen.append(plain in labels and plain + DISGUISED in labels)
    matches = arrays.select_entries(chosen)
    entries = []
    for entry in matches.entries:
        board = entry.board.removesuffix(DISGUISED)
        bot = entry.bot
        if bot in askers and board != entry.board:
            bot += DISGUISED
        entries.append(entry._replace(board=board, bot=bot))
    return replace(matches, entries=tuple(entries))


def memories(ratings: Ratings) -> list[Memory]:
    """Return each bot that a fit of `with_disguised_bots` has twice.

    The bot that remembers most stands first.
    """
    strengths = {rating.bot: rating.strength for rating in ratings.ratings}
    memories = []
    for disguised in strengths:
        bot = disguised.removesuffix(DISGUISED)
        if bot == disguised or bot not in strengths:
            continue
        apart = None
        pair = {bot, disguised}
        are_comparable = any(pair.issubset(group) for group in ratings.groups)
        if are_comparable:
            apart = difference(ratings, bot, disguised)
        memory = Memory(
            bot,
            strengths[bot],
            strengths[disguised],
            apart,
        )
        memories.append(memory)

    def largest_first(memory: Memory) -> tuple[float, str]:
        if memory.difference is None:
            return np.inf, memory.bot
        return -memory.difference.value, memory.bot

    return sorted(memories, key=largest_first)
