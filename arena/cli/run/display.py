"""The live display of a run on a terminal: a bar with rate and time left, over the standings so far.

A terminal that is gone ends the show, never the run.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from arena.cli import screen
from arena.cli.run.progress import duration
from arena.cli.run.watching import Lines, Watcher
from arena.match import Record

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.cli.run.totals import Totals

FRAME = 0.25  # seconds between two frames of the live display
TOP = 15  # bots in the live table


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
