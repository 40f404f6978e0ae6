"""Bots that stay for their next match: those that said `ready again`, in an event that allows it.

A kept bot waits frozen, with an empty scratch folder, for the next match of its lane in which it has the same role on
the same board; one that died meanwhile is started again, like any other. It knows no match but the key of its seat.
"""

import contextlib
from weakref import WeakKeyDictionary

from arena.bot.process import Process
from arena.match import Match, Seat
from arena.sandbox.door import Door

MOST = 16
"""Bots that one lane keeps; the one that waited longest goes first."""


class Keeper:
    """The kept bots of one door."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._kept: dict[object, Process] = {}

    def take(self, match: Match, seat: Seat) -> Process | None:
        """The bot that was kept for this seat, if there is one and it lives."""
        process = self._kept.pop(_key(match, seat), None)
        if process is not None and not process.alive():
            self._end(process)
            process = None
        return process

    def put(self, match: Match, seat: Seat, process: Process) -> None:
        """Keep it for the next match with such a seat."""
        if (other := self._kept.pop(_key(match, seat), None)) is not None:
            self._end(other)
        try:
            process.child.room.empty()
        except OSError:  # where it could lock or move its folder; then it goes, and another is started
            self._end(process)
            return
        self._kept[_key(match, seat)] = process
        if len(self._kept) > MOST:
            self._end(self._kept.pop(next(iter(self._kept))))

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that no sweep may end."""
        return tuple(process.child.pid for process in self._kept.values())

    def close(self) -> None:
        """Keep nobody any longer."""
        with contextlib.ExitStack() as leaving:  # each is ended though the end of another fails
            while self._kept:
                leaving.callback(self._end, self._kept.popitem()[1])

    def _end(self, process: Process) -> None:
        with contextlib.ExitStack() as leaving:
            leaving.callback(process.meter.close)
            leaving.callback(process.wire.close)
            self._door.end(process.child)


_keepers: WeakKeyDictionary[Door, Keeper] = WeakKeyDictionary()


def keeper_of(door: Door) -> Keeper:
    """The keeper of a door; what it keeps ends with the door."""
    if door not in _keepers:
        _keepers[door] = Keeper(door)
    return _keepers[door]


def _key(match: Match, seat: Seat) -> object:
    return match.rules, match.label, seat.role, seat.bot, match.conditions
