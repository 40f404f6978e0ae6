"""The standings so far of an event that is being played."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from arena.display_names import display_names
from arena.results.archive import Archive
from arena.results.columns import LEADERBOARD, Column
from arena.results.standings import Standing, standings
from arena.values import FEWEST_RANKED, Event, Played, Record

COLUMNS = ("rank", "bot", "matches", "points", "won", "drawn", "lost", "forfeits")
"""The figures of a standing that the live table shows; a column for each board follows."""
COUNTING_SHARE = 0.02  # of the main thread's time, for it also feeds the referees
COUNT_INTERVAL_S = 1.0  # at least


class Totals:
    """Every match so far, counted now and then by `standings`, the one definition of points."""

    def __init__(self, event: Event, earlier: Iterable[Played]) -> None:
        self._labels = display_names(event.bots)
        self._ranked = event.generalists if len(event.generalists) >= FEWEST_RANKED else frozenset()
        self._boards = [board.label for board in event.boards]
        self._earlier = iter(earlier)
        self._played: list[Played] = []
        self._standings: tuple[Standing, ...] = ()
        self._next_count = 0.0
        self._changed = True

    @property
    def headers(self) -> tuple[Column, ...]:
        """The columns of `rows`."""
        names = [label.partition("/")[2] for label in self._boards]
        boards = names if len(set(names)) == len(names) else self._boards
        return tuple(LEADERBOARD[name] for name in (*COLUMNS, *boards))

    def begin(self) -> None:
        """Count the earlier matches; by now the run has decided which of them count."""
        self._played += self._earlier

    def add(self, record: Record) -> None:
        """Count one more match, soon."""
        self._played.append(Played.of(record))
        self._changed = True

    def rows(self, top: int) -> list[tuple[object, ...]]:
        """Return the first bots of the standings, which are not much older than a second."""
        self.begin()
        begun = time.monotonic()
        if self._changed and begun >= self._next_count:
            self._standings = self._ordered(standings(self._labels, self._played))
            self._changed = False
            cost = time.monotonic() - begun
            self._next_count = begun + max(COUNT_INTERVAL_S, cost / COUNTING_SHARE)
        return [
            (*(getattr(standing, column) for column in COLUMNS), *map(standing.boards.get, self._boards))
            for standing in self._standings[:top]
        ]

    def _ordered(self, by_points: Iterable[Standing]) -> tuple[Standing, ...]:
        """Rank the bots that play the whole event; specialists follow without a rank, as in the leaderboard.

        Each bot gets its display name.
        """
        order = sorted(by_points, key=lambda standing: (standing.points is None, standing.bot not in self._ranked))
        ranks: dict[int | None, int | None] = {None: None}
        for rank, standing in enumerate(order, 1):
            ranks.setdefault(standing.rank, rank)  # bots with equal points share the first rank
        return tuple(
            replace(
                standing,
                bot=self._labels[standing.bot],
                rank=ranks[standing.rank] if standing.bot in self._ranked else None,
            )
            for standing in order
        )


def stored(folder: Path) -> Iterator[Played]:
    """Yield the stored matches that count; the folder is read when the first of them is wanted."""
    with Archive.open(folder) as archive:
        yield from archive.played()
