"""Bots that are reused: a bot that said `ready again` stays for its next match.

An event must allow it. Such a bot waits frozen, with an empty scratch folder, for the next match of
its lane in which it has the same role on the same board. If it died meanwhile, a new process is
started as for any other bot. This file knows no match but the key of a seat.
"""

from contextlib import ExitStack
from weakref import WeakKeyDictionary

from arena.match.bot.process import Process
from arena.sandbox.launcher import Launcher
from arena.values import Match, Seat

MOST_WAITING = 16
"""Bots of one lane that wait for their next match; the bot that has waited longest goes first."""


class ReusedBots:
    """The waiting bots of one launcher."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._waiting: dict[object, Process] = {}

    def take(self, match: Match, seat: Seat) -> Process | None:
        """Return the process that waits for this seat, if there is one and it lives."""
        process = self._waiting.pop(_key(match, seat), None)
        if process is not None and not process.alive():
            process.end(self._launcher)
            process = None
        return process

    def put(self, match: Match, seat: Seat, process: Process) -> None:
        """Have a process wait for the next match with such a seat."""
        key = _key(match, seat)
        older = self._waiting.pop(key, None)
        if older is not None:
            older.end(self._launcher)
        try:
            process.child.room.empty()
        except OSError:
            # The bot has locked or moved its folder. So it goes, and a new process takes its seat.
            process.end(self._launcher)
            return
        self._waiting[key] = process
        if len(self._waiting) > MOST_WAITING:
            first_key = next(iter(self._waiting))
            longest_waiting = self._waiting.pop(first_key)
            longest_waiting.end(self._launcher)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that `Launcher.sweep` may not end."""
        return tuple(process.child.pid for process in self._waiting.values())

    def close(self) -> None:
        """End all waiting processes, each though the end of another fails."""
        with ExitStack() as closing:
            while self._waiting:
                _, process = self._waiting.popitem()
                closing.callback(process.end, self._launcher)


_by_launcher: WeakKeyDictionary[Launcher, ReusedBots] = WeakKeyDictionary()


def reused_bots_of(launcher: Launcher) -> ReusedBots:
    """Return the waiting bots of a launcher; they end with it."""
    if launcher not in _by_launcher:
        _by_launcher[launcher] = ReusedBots(launcher)
    return _by_launcher[launcher]


def _key(match: Match, seat: Seat) -> object:
    return (
        match.rules,
        match.label,
        match.sampled,
        seat.role,
        seat.bot,
        match.conditions,
    )
