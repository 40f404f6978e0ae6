"""The matches and seats of an archive as numpy arrays, so that a million of them need no Python object each.

It owns the reading and the order: matches as they were stored, seats by match and order of play. What is text stands
once, in the entries. It knows no table that anybody looks at.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from arena.archive import Archive
from arena.game import Role
from arena.match import Ending

Ints = npt.NDArray[np.int64]
Name = TypeVar("Name", str, tuple[str, str], tuple[str, str, int])

UNKNOWN = -1  # the transcript of a match that an older arena stored
SPAN = 100_000  # matches that are read at once; SQLite's longest text would do for a hundred times as many
CASES = " ".join(f"when '{ending}' then {place}" for place, ending in enumerate(Ending, 1))
BITS = (8, 24, 8, 3)
"""Of a place, an entry, a score and an ending, in the one number that a seat is; the match has those above."""
PLACE, NAMED, SCORE, CASE = (1 << bits for bits in BITS)
SEAT = (
    f"((((match - {{first}}) * {PLACE} + place) * {NAMED} + entry) * {SCORE} + score) * {CASE}"
    f" + case ending {CASES} else 0 end"
)


class Entry(NamedTuple):
    """A bot in its role on a board: the same in every match that it plays there."""

    game: str
    board: str
    side: int
    """Roles of one number on one board win together."""
    role: Role
    bot: str
    digest: str
    """Hash of the bot's files; two entries may differ in it alone."""

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.board}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrays:
    """Matches that count, and their seats."""

    entries: tuple[Entry, ...]
    number: Ints
    """A match: its number in the archive, rising."""
    repeat: Ints
    seed: Ints
    turns: Ints
    transcript: Ints
    """A match: a hash of its moves and verdict, 0 or above, or UNKNOWN. Of one seating, equal ones went alike."""
    match: Ints
    """A seat: its match, as a position in `number`; rising."""
    place: Ints
    """A seat: 0, 1, ... in order of play."""
    entry: Ints
    """A seat: a position in `entries`."""
    score: Ints
    """A seat: 0 to 100."""
    ending: Ints
    """A seat: -1, or how it failed: a position in `tuple(Ending)`."""

    def coded(self, name: Callable[[Entry], Name]) -> tuple[list[Name], Ints]:
        """The names that the entries have, sorted, and for each entry its name's position."""
        names = sorted({name(entry) for entry in self.entries})
        position = {each: place for place, each in enumerate(names)}
        return names, np.array([position[name(entry)] for entry in self.entries], dtype=np.int64)

    def by_place(self, values: Ints) -> Ints:
        """Values of the seats as a row a match and a column a place; -1 where the match has no such seat."""
        table = np.full((len(self.number), 1 + self.place.max(initial=0)), -1, dtype=np.int64)
        table[self.match, self.place] = values
        return table


def read(archive: Archive, *, all_versions: bool = False) -> Arrays:
    """The arrays of the current plan, or of every bot, board and rule that there ever was."""
    ((last,),) = archive.rows("select ifnull(max(number), 0) from matches")
    numbers, entries = [], []
    for number, *entry in archive.rows("select number, game, board, side, role, bot, digest from entries"):
        numbers.append(number)
        entries.append(Entry(*entry))
    counted = "planned or 1" if all_versions else "planned"
    columns = ("number", "repeat", "seed", "turns", f"ifnull(transcript, {UNKNOWN})")
    with ThreadPoolExecutor(1) as beside:  # SQLite prints seats on one core and matches on another
        coming = beside.submit(_seats_beside, archive.folder, last) if archive.is_current() else None
        matches = _ints(archive, columns, f"matches where {counted} and number", last)
        seats = coming.result() if coming else _seats(archive, last)
    position = np.full(last + 1, -1, dtype=np.int64)
    position[matches[0]] = np.arange(len(matches[0]))
    seats[0] = position[seats[0]]
    match, place, entry, score, ending = seats if (seats[0] >= 0).all() else seats[:, seats[0] >= 0]
    of_entry = np.zeros(1 + max(numbers, default=0), dtype=np.int64)
    of_entry[numbers] = np.arange(len(numbers))
    number, repeat, seed, turns, transcript = matches
    return Arrays(
        entries=tuple(entries),
        number=number,
        repeat=repeat,
        seed=seed,
        turns=turns,
        transcript=transcript,
        match=match,
        place=place,
        entry=of_entry[entry],
        score=score,
        ending=ending,
    )


def _ints(archive: Archive, columns: tuple[str, ...], rows: str, last: int) -> Ints:
    """Columns of whole numbers, a row of the array each, of the rows whose number is at most `last`; the first rises.

    SQLite prints each column and numpy reads the print: six times as fast as a Python number for each.
    """
    parts = [np.zeros((len(columns), 0), dtype=np.int64)]
    parts += [_printed(archive, columns, rows, first, last) for first in range(0, last, SPAN)]
    whole = np.concatenate(parts, axis=1)
    return whole if (np.diff(whole[0]) > 0).all() else whole[:, np.argsort(whole[0])]  # SQL promises no order here


def _seats_beside(folder: Path, last: int) -> Ints:
    """The same, in a thread of its own, which needs a connection of its own. What is numbered already never changes."""
    with Archive.open(folder, writing=False) as archive:
        return _seats(archive, last)


def _seats(archive: Archive, last: int) -> Ints:
    """Match, place, entry, score and ending of the seats, by match and place, a row of the array each.

    A seat is printed as one number, which takes two thirds of the time of five.
    """
    parts = [np.zeros((5, 0), dtype=np.int64)]
    for first in range(0, last, SPAN):
        (seats,) = _printed(archive, (SEAT.format(first=first),), "seats where match", first, last)
        seats = seats if (np.diff(seats) > 0).all() else np.sort(seats)
        part = np.empty((5, len(seats)), dtype=np.int64)
        for row, width in zip(part[:0:-1], BITS[::-1], strict=True):
            np.bitwise_and(seats, (1 << width) - 1, out=row)
            seats >>= width
        np.add(seats, first, out=part[0])
        parts.append(part)
    whole = np.concatenate(parts, axis=1)
    whole[4] -= 1
    return whole


def _printed(archive: Archive, columns: tuple[str, ...], rows: str, first: int, last: int) -> Ints:
    """Columns of the rows whose number is after `first`, SPAN of them at most."""
    texts = ", ".join(f"group_concat({column}, ' ')" for column in columns)
    (printed,) = archive.rows(f"select {texts} from {rows} between ? and ?", first + 1, min(last, first + SPAN))
    return np.array([np.fromstring(text or "", dtype=np.int64, sep=" ") for text in printed])
