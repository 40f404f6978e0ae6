"""The standings so far of an event that is being played, for whoever watches it."""

import time
from collections.abc import Iterable
from pathlib import Path

from arena import schedules
from arena.archive import Archive
from arena.cli import places
from arena.event import Event, Played
from arena.match import Record
from arena.standings import HEAD, Standing, standings

SHARE = 0.02  # of the time that the main thread may spend on counting: it also feeds the referees
PAUSE = 1.0  # seconds between two counts at least


class Totals:
    """Every match so far, counted again now and then by the one definition of points that there is."""

    def __init__(self, event: Event, earlier: Iterable[Played]) -> None:
        self._bots = [bot.name for bot in event.bots]
        self._boards = [board.label for board in event.boards]
        self._played = list(earlier)
        self._standings: tuple[Standing, ...] = ()
        self._next = 0.0
        self._changed = True

    @property
    def headers(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        names = [label.partition("/")[2] for label in self._boards]
        boards = names if len(set(names)) == len(names) else self._boards
        return (*HEAD, *boards)

    def add(self, record: Record) -> None:
        """Count one more match, soon."""
        self._played.append(Played.of(record))
        self._changed = True

    def rows(self, top: int) -> list[tuple[object, ...]]:
        """The first bots of the standings, not much older than a second."""
        begun = time.monotonic()
        if self._changed and begun >= self._next:
            self._standings = standings(self._bots, self._played)
            self._changed = False
            cost = time.monotonic() - begun
            self._next = begun + max(PAUSE, cost / SHARE)
        return [_row(one, self._boards) for one in self._standings[:top]]


def resumed(event: Event, folder: Path) -> Totals:
    """The totals of what is on disk of this event."""
    if not (folder / places.STORE).is_file():
        return Totals(event, ())
    plan = {match.id for match in schedules.find(event.schedule).plan(event)}
    with Archive.open(folder, writing=False) as archive:
        return Totals(event, (match for match in archive.played(all_versions=True) if match.id in plan))


def _row(one: Standing, boards: list[str]) -> tuple[object, ...]:
    return (*one.head, *(one.boards.get(board) for board in boards))
