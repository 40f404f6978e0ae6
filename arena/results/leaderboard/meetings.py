"""Meetings: two bots on different sides of a match meet. Both tables of meetings are counted here. Pure.

Teammates do not meet, and a bot with several roles on a side is one opponent. Everything is done to whole arrays,
because a Python loop over a million matches takes too long: the loops run over pairs of positions in the order of play.
"""

from collections.abc import Iterator
from itertools import permutations
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from arena.results.arrays import Arrays, Ints, Mask
from arena.results.columns import CROSSTABLE
from arena.results.tiebreaks import Crosstable

if TYPE_CHECKING:
    import pandas as pd


class _Seats:
    """Entry, bot and side of each seat, with a row a match and a column a position; -1 where there is no such seat."""

    def __init__(self, arrays: Arrays) -> None:
        self.bots, bot = arrays.coded(attrgetter("bot"))
        self.entry = entry = arrays.by_match(arrays.entry)
        self.bot_of_entry, self.bot = bot, np.append(bot, -1)[entry]
        self.side = np.array([*(entry.side for entry in arrays.entries), -1], dtype=np.int64)[entry]

    def opposed(self) -> Iterator[tuple[int, int, Mask]]:
        """Yield each two positions and the matches that have both, on different sides."""
        for seat, opponent in permutations(range(self.bot.shape[1]), 2):
            yield seat, opponent, self.are_opposed(seat, opponent)

    def are_opposed(self, seat: int, opponent: int) -> Mask:
        """Return the matches that have both positions, on different sides."""
        both = (self.bot[:, seat] >= 0) & (self.bot[:, opponent] >= 0)
        return np.asarray(both & (self.side[:, seat] != self.side[:, opponent]))


def crosstable(arrays: Arrays) -> "pd.DataFrame":
    """Return a row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

    Here a bot meets itself where it plays both sides, and a bot on two of the other sides is one opponent.
    """
    from arena.results.anytext import pd  # not above: `encounters`, which a leaderboard needs, does without

    seats = _Seats(arrays)
    width = max(1, len(seats.bots))
    board_roles, board_role = arrays.coded(lambda entry: (entry.label, entry.role))
    row = np.append((board_role * width + seats.bot_of_entry) * width, -1)[seats.entry]
    score = arrays.by_match(arrays.score)
    cells, scores = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for seat, opponent, met in seats.opposed():
        for earlier in range(opponent):  # an opponent with several roles is met in the first of them
            if earlier != seat:
                met &= ~(seats.are_opposed(seat, earlier) & (seats.bot[:, earlier] == seats.bot[:, opponent]))
        cells.append(row[met, seat] + seats.bot[met, opponent])
        scores.append(score[met, seat])
    keys, cell = np.unique(np.concatenate(cells), return_inverse=True)
    count = np.bincount(cell, minlength=len(keys))
    label, role = (np.array([name[part] for name in board_roles], dtype=object) for part in (0, 1))
    name, (rows, opponents) = np.array(seats.bots, dtype=object), np.divmod(keys, width)
    number, bot = np.divmod(rows, width)
    total = np.bincount(cell, weights=np.concatenate(scores), minlength=len(keys))
    columns = [label[number], role[number], name[bot], name[opponents], count, total / count]
    return pd.DataFrame(dict(zip(CROSSTABLE.names, columns, strict=True)))


def encounters(arrays: Arrays) -> Crosstable:
    """Return the table for tie-breaks: each two different bots on two sides of a match have one game."""
    seats, score = _Seats(arrays), arrays.by_match(arrays.score)
    bot, side, width = seats.bot, seats.side, len(seats.bots)
    positions = range(bot.shape[1])
    best: list[Ints] = []  # by position: the best score of its side
    first: list[Mask] = []  # by position: the matches in which its bot has no earlier seat on its side
    for position in positions:
        best.append(np.where(side == side[:, [position]], score, -1).max(axis=1))
        same = (bot[:, :position] == bot[:, [position]]) & (side[:, :position] == side[:, [position]])
        first.append(~same.any(axis=1))
    cells = [np.zeros(0, dtype=np.int64)]
    for seat, opponent, met in seats.opposed():
        met &= first[seat] & first[opponent] & (bot[:, seat] != bot[:, opponent])
        result = np.sign(best[seat] - best[opponent])[met]
        cells.append((bot[met, seat] * width + bot[met, opponent]) * 3 + result + 1)
    keys, games = np.unique(np.concatenate(cells), return_counts=True)
    return Crosstable.count(
        (seats.bots[key // 3 // width], seats.bots[key // 3 % width], key % 3 - 1, count)
        for key, count in zip(keys.tolist(), games.tolist(), strict=True)
    )
