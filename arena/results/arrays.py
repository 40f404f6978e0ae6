"""Matches and their seats as numpy arrays, so that a million matches need no Python object each.

Leaderboards, ratings and charts all read this one table. Texts stand once, in `entries`; an array
has a number for each match or for each seat. The arrays do not depend on how they are used: no fit
and no frame is known here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from arena.results.archive.records import FIGURES, PLAY_BITS, BoardRole, Entry

__all__ = ["PLAY_BITS", "Arrays", "BoardRole", "Entry", "Floats", "Ints", "Mask", "rounded"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Name = TypeVar("Name", str, tuple[str, str], BoardRole)

DECIMALS = 10
"""The decimals to which results are rounded.

The noise of a linear algebra library is about 1e-14 of a result near 1, so it hardly ever reaches
a digit at which rounding decides.
"""


def rounded(values: npt.NDArray[np.floating[Any]]) -> Floats:
    """Round to DECIMALS, with 0.0 for -0.0, so that figures are the same on every CPU.

    A linear algebra library has code of its own for each kind of CPU, which adds in another order,
    so the last digits of its results differ. Each result is rounded before the next step uses it:
    every step begins with the same bits everywhere, and a figure that is 0 by symmetry is 0, not
    -0.0 or 1e-17.
    """
    figures = np.round(values, DECIMALS)
    figures = figures + 0.0
    return np.asarray(figures, dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrays:
    """The matches that count.

    `Match:` marks an array with a number for each match, `Seat:` one with a number for each seat.
    """

    entries: tuple[Entry, ...]
    """Only those that have a seat in these matches."""
    repeat: Ints
    """Match: its repeat. The archive's matches stand in the order in which they were stored."""
    seed: Ints
    """Match: matches of the same bots with the same seed (the legs) share their luck."""
    turns: Ints
    """Match: its number of turns."""
    transcript: Ints
    """Match: hashes of its beginning and its play (`archive.records.transcript`), 0 or above."""
    match: Ints
    """Seat: its match, as an index in `seed`; rising."""
    position: Ints
    """Seat: 0, 1, ... in order of play."""
    entry: Ints
    """Seat: an index in `entries`."""
    score: Ints
    """Seat: 0 to 100."""
    ending: Ints
    """Seat: its fault, as an index in `tuple(Ending)`, or -1 for none."""

    @classmethod
    def decode(cls, figures: bytearray, entries: Mapping[int, Entry]) -> "Arrays":
        """Decode the archive's figures; `entries` are the archive's, by number.

        The archive stores the figures of a match as numpy reads them. Making a Python number of
        each would take three times as long. Letting SQLite print columns as text that numpy reads
        would take twice as long.
        """
        fields = [(name, f"<{code}") for name, code in FIGURES]
        seats = np.frombuffer(figures, dtype=fields)
        entry_number = seats["entry"]  # by seat
        uses = np.bincount(entry_number)  # by number of an entry
        used = uses > 0
        used_numbers = np.flatnonzero(used).tolist()
        index = np.cumsum(used) - 1  # by number of an entry: its index among those that are used
        is_first = seats["position"] == 0  # by seat
        matches = seats[is_first]  # by match: its first seat, which has its figures, too
        return cls(
            entries=tuple(entries[number] for number in used_numbers),
            repeat=matches["repeat"].astype(np.int64),
            seed=matches["seed"].astype(np.int64),
            turns=matches["turns"].astype(np.int64),
            transcript=matches["transcript"].astype(np.int64),
            match=np.cumsum(is_first) - 1,
            position=seats["position"].astype(np.int64),
            entry=index[entry_number],
            score=seats["score"].astype(np.int64),
            ending=seats["ending"].astype(np.int64),
        )

    def select(self, matches: Mask) -> "Arrays":
        """Return the arrays of these matches, as if no others had been played."""
        seats = matches[self.match]  # by seat
        match = self.match[seats]
        entry = self.entry[seats]
        uses = np.bincount(entry, minlength=len(self.entries))  # by entry
        used = uses > 0
        match_index = np.cumsum(matches) - 1  # by match
        entry_index = np.cumsum(used) - 1  # by entry
        return Arrays(
            entries=tuple(compress(self.entries, used)),
            repeat=self.repeat[matches],
            seed=self.seed[matches],
            turns=self.turns[matches],
            transcript=self.transcript[matches],
            match=match_index[match],
            position=self.position[seats],
            entry=entry_index[entry],
            score=self.score[seats],
            ending=self.ending[seats],
        )

    def of_game(self, game: str) -> "Arrays":
        """Return the arrays of the matches of one game."""
        of_game = [entry.game == game for entry in self.entries]
        return self.select_entries(of_game)

    def select_entries(self, chosen: Sequence[bool]) -> "Arrays":
        """Return the arrays of the matches whose first seat has an entry that is chosen."""
        by_entry = np.array(chosen, dtype=np.bool_)
        is_first = self.position == 0  # by seat
        first = self.entry[is_first]  # by match
        matches = by_entry[first]
        return self.select(matches)

    def coded(self, name_of: Callable[[Entry], Name]) -> tuple[list[Name], Ints]:
        """Return the different names of the entries, sorted, and by entry the index of its name."""
        name_by_entry = [name_of(entry) for entry in self.entries]
        different_names = set(name_by_entry)
        names = sorted(different_names)
        index_of = {name: index for index, name in enumerate(names)}
        indices = [index_of[name] for name in name_by_entry]
        return names, np.array(indices, dtype=np.int64)

    def by_match(self, values: Ints) -> Ints:
        """Return values of the seats with a row for each match and a column for each position.

        They are -1 where a match has no such seat.
        """
        matches = len(self.seed)
        positions = 1 + self.position.max(initial=0)
        shape = (matches, positions)
        table = np.full(shape, -1, dtype=np.int64)
        table[self.match, self.position] = values
        return table
