"""The display of a run: on a terminal a bar with rate and time left, over the standings so far."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli import output
from arena.cli.watching import Watcher
from arena.display_names import display_names
from arena.event import schedules
from arena.results.archive import Archive
from arena.results.columns import LEADERBOARD, Column
from arena.results.ranked import ranked_bots
from arena.results.standings import Standing, absentees, standings
from arena.values import Event, Played, Record

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS = ("rank", "bot", "matches", "points", "won", "drawn", "lost", "forfeits")
"""The figures of a standing that the live table shows; a column for each board follows."""
BOTS_SHOWN = 15
COUNTING_SHARE = 0.02  # of the main thread's time, for it also feeds the referees
COUNT_INTERVAL_S = 1.0  # at least


class RunWatcher(Watcher):
    """Shows a run, and counts its matches now and then by `standings`, which defines points.

    The frame is rich's. rich.progress is not: its columns for the count, rate and time left would
    be as many lines as `frame`, its rate covers the last 30 seconds only, and the lines in a pipe
    need our figures in any case.
    """

    def __init__(
        self,
        event: Event,
        lanes: str,
        earlier: Iterable[Played],
    ) -> None:
        super().__init__(event.name, lanes, schedules.at_most(event))
        self._names = display_names(event.bots)
        self._leagues = {game: event.league(game) for game in event.games}
        self._boards: list[str] = []
        """The boards that have a column: in an event of several games it would be empty in the rows
        of other games."""
        if len(self._leagues) == 1:
            self._boards += [board.label for board in event.boards]

        self._earlier = iter(earlier)
        self._played: list[Played] = []
        self._standings: dict[str, tuple[Standing, ...]] = {}
        self._next_count = 0.0
        self._changed = True

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        super().begins(planned, finished)
        if self.live is not None:
            self._played += self._earlier  # by now the run has decided which of them count

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        if self.live is not None:
            self._played.append(Played.of(record))
            self._changed = True
        super().finished(record)

    def frame(self) -> "RenderableType":
        """Return a bar, and the first bots of the standings."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(
            total=max(1, self.planned),
            completed=self.done,
            width=30,
        )
        line.add_row(self.name, bar, self.summary())
        if self.live is None:
            return line
        rows = self.rows(BOTS_SHOWN)
        table = output.fitting_table(self.headers, rows, self.live.console)
        return Group(line, table)

    @property
    def headers(self) -> tuple[Column, ...]:
        """The columns of `rows`."""
        names: list[str] = []
        if len(self._leagues) > 1:
            names.append("game")
        names += COLUMNS
        for board in self._boards:
            names.append(board.partition("/")[2])
        return tuple(LEADERBOARD[name] for name in names)

    def rows(self, top: int) -> list[tuple[object, ...]]:
        """Return the first bots of each game, `top` of all, as of about a second ago."""
        self._played += self._earlier
        if self._changed and time.monotonic() >= self._next_count:
            self._count()

        rows: list[tuple[object, ...]] = []
        for game, ranked in self._standings.items():
            top_of_game = max(1, top // len(self._standings))
            for standing in ranked[:top_of_game]:
                rows.append(self._row(game, standing))
        return rows

    def _count(self) -> None:
        """Make the standings anew, and decide when to do so again."""
        begun = time.monotonic()
        for game, league in self._leagues.items():
            played = [match for match in self._played if match.game == game]
            self._standings[game] = _ranked(league, played)
        self._changed = False
        cost = time.monotonic() - begun
        interval = max(COUNT_INTERVAL_S, cost / COUNTING_SHARE)
        self._next_count = begun + interval

    def _row(self, game: str, standing: Standing) -> tuple[object, ...]:
        """Return the cells of a standing, in the order of `headers`."""
        cells: list[object] = []
        if len(self._leagues) > 1:
            cells.append(game)
        for column in COLUMNS:
            if column == "bot":
                cells.append(self._names[standing.bot])
            else:
                cells.append(getattr(standing, column))
        cells += [standing.boards.get(board) for board in self._boards]
        return tuple(cells)


def _ranked(league: Event, played: Sequence[Played]) -> tuple[Standing, ...]:
    """Return the standings of a game, best first.

    The bots without a rank follow, as in the leaderboard.
    """
    ranked = ranked_bots(league)
    absent = absentees(played)

    def order(row: Standing) -> tuple[bool, bool, bool]:
        return row.points is None, row.bot in absent, row.bot not in ranked

    bot_names = [bot.name for bot in league.bots]
    by_points = sorted(standings(bot_names, played), key=order)
    present = 0
    """The number of bots with a rank that are not absent."""
    for row in by_points:
        if order(row) == (False, False, False):
            present += 1

    ranks: dict[int, int] = {}
    """The rank of each number of points, by the rank in the standings."""
    rows: list[Standing] = []
    for number, row in enumerate(by_points, 1):
        rank = None
        if row.rank is not None and row.bot in ranked:
            # Bots with equal points share the first rank, and those that never said `ready` the
            # last rank.
            rank = ranks.setdefault(row.rank, number)
            if row.bot in absent:
                rank = present + 1
        rows.append(replace(row, rank=rank))
    return tuple(rows)


def stored(folder: Path) -> Iterator[Played]:
    """Yield the stored matches that count; the folder is read when the first of them is wanted."""
    with Archive.open(folder) as archive:
        yield from archive.played()
