"""Who watches a run: plain lines for a pipe, a live display for a terminal. All of it on stderr.

The run calls the methods of `arena.tournament.Audience` as things happen, and `tick` about ten times a second. A
terminal that is gone ends the show, never the run.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from arena.cli import screen
from arena.cli.progress import Progress, duration
from arena.match import Abort, Fault, Record

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.cli.totals import Totals

QUIET = 10.0  # seconds without a line, when piped
FRAME = 0.25  # seconds between two frames of the live display
TOP = 15  # bots in the live table


class Watcher:
    """Keeps count of a run; what it says is up to `line` and `tick`."""

    def __init__(self, name: str, workers: int) -> None:
        self.name = name
        self.workers = workers
        self.absentees: dict[str, Fault] = {}
        self.planned = self.done = self.played = 0
        self.begun = time.monotonic()

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        return Progress(self.planned, self.done, self.played, time.monotonic() - self.begun)

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned, self.done, self.begun = planned, finished, time.monotonic()
        before = f", {finished} of them played before" if finished else ""
        self.line(f"{self.name}: {planned} matches{before}, {self.workers} at a time")

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.absentees[bot] = fault
        self.line(absence(bot, fault))

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        del record
        self.done += 1
        self.played += 1

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        cause = abort.cause.strip().splitlines()[-1:] or ["no words"]
        self.line(f"arena failed match {abort.match}, attempt {abort.attempt}: {screen.shown(cause[0])}")

    def line(self, text: str) -> None:
        """Say something at once."""
        screen.notice(text)

    def tick(self) -> None:
        """Called about ten times a second."""


class Lines(Watcher):
    """A line each tenth of the event, and when there was none for a while."""

    def __init__(self, name: str, workers: int) -> None:
        super().__init__(name, workers)
        self._told = (0, self.begun)

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        super().begins(planned, finished)
        self._told = (int(10 * self.progress.share), self.begun)

    def tick(self) -> None:
        """Say how far it is, when that is due."""
        progress, now = self.progress, time.monotonic()
        tenth = int(10 * progress.share)
        if tenth > self._told[0] or now - self._told[1] >= QUIET:
            self._told = (tenth, now)
            self.line(str(progress))

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        super().finished(record)
        self.tick()


class Display(Watcher):
    """A bar with rate and time left, over the standings so far; four frames a second."""

    def __init__(self, name: str, workers: int, totals: "Totals") -> None:
        from rich.live import Live

        super().__init__(name, workers)
        self._totals = totals
        self._shown = 0.0
        self._live = Live(console=screen.console(sys.stderr), auto_refresh=False, transient=True)
        self._gone = False

    def __enter__(self) -> "Display":
        self._alive(self._live.start)
        return self

    def __exit__(self, *_: object) -> None:
        self._alive(self._live.stop)

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        super().finished(record)
        self._totals.add(record)
        self.tick()

    def line(self, text: str) -> None:
        """A line above the display."""
        from rich.text import Text

        self._alive(lambda: self._live.console.print(Text(text)))

    def tick(self) -> None:
        """Draw a frame, when one is due."""
        now = time.monotonic()
        if now - self._shown >= FRAME:
            self._alive(lambda: self._live.update(self._frame(), refresh=True))
            self._shown = time.monotonic()

    def _frame(self) -> "RenderableType":
        from rich.console import Group

        table = screen.table(self._totals.headers, self._totals.rows(TOP))
        return Group(self._bar(), screen.fitted(table, self._live.console))

    def _bar(self) -> "RenderableType":
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        grid = Table.grid(padding=(0, 1))
        progress = self.progress
        rate = "" if progress.rate is None else f"{progress.rate:.1f}/s"
        left = "" if progress.left is None else f"{duration(progress.left)} left"
        bar = ProgressBar(total=max(1, progress.planned), completed=progress.finished, width=30)
        grid.add_row(self.name, bar, f"{progress.finished}/{progress.planned}", rate, left)
        return grid

    def _alive(self, draw: Callable[[], object]) -> None:
        """Draw on a terminal that may be gone; once it is, never again."""
        if self._gone:
            return
        try:
            draw()
        except OSError:
            self._gone = True


def absence(bot: str, fault: Fault) -> str:
    """Who never said `ready`, and what became of it."""
    return f"{screen.shown(bot)} is absent, its matches are forfeited: {fault.ending}: {screen.shown(fault.words, 500)}"


@contextmanager
def watcher(name: str, workers: int, totals: "Totals") -> Iterator[Watcher]:
    """A live display on a terminal, else plain lines."""
    shows: AbstractContextManager[Watcher]
    if (
        sys.stderr.isatty()
        and screen.console(sys.stderr).is_terminal
        and not screen.console(sys.stderr).is_dumb_terminal
    ):
        shows = Display(name, workers, totals)
    else:
        shows = contextlib.nullcontext(Lines(name, workers))
    with shows as one:
        yield one
