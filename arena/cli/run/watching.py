"""The display of a run on stderr: on a terminal a bar over the standings so far, in a pipe a line now and then.

The run calls the methods of `arena.event.tournament.Audience` as things happen, and `tick` about ten times a second.
A terminal that is gone is no reason to stop: `streams.py` swallows the frames that are drawn on it.
"""

import contextlib
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.cli import output
from arena.values import Abort, Fault, Record

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.cli.run.totals import Totals

LINE_INTERVAL_S = 10.0  # in a pipe there is a line at least so often
FRAME_INTERVAL_S = 0.25
BOTS_SHOWN = 15


@dataclass(frozen=True)
class RunProgress:
    """Matches planned, stored, and played in this run, after a number of seconds of it."""

    planned: int
    at_most: str
    """The words before that number, as in `schedules.at_most`."""
    finished: int
    played: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Matches a second in this run; None before the first match."""
        return self.played / self.seconds if self.played and self.seconds > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds to the end at this rate."""
        return None if self.rate is None else (self.planned - self.finished) / self.rate

    @property
    def share(self) -> float:
        """The finished part of the plan, from 0 to 1."""
        return self.finished / self.planned if self.planned else 1.0

    def __str__(self) -> str:
        parts = [f"{self.finished} of {self.at_most}{self.planned} matches ({100 * self.share:.0f} %)"]
        if self.rate is not None:
            parts.append(f"{self.rate:.1f}/s")
        if self.left is not None and self.finished < self.planned:
            parts.append(f"about {duration(self.left)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Return a time as short text: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60:02d} s"
    return f"{rounded // 3600} h {rounded % 3600 // 60:02d} min"


def absence(bot: str, fault: Fault) -> str:
    """Return a line about a bot that never said `ready`."""
    reason = f"{fault.ending}: {output.safe_line(fault.words, 500)}"
    return f"{output.safe_line(bot)} is absent, its matches are forfeited: {reason}"


class Watcher:
    """Counts what happens in a run; its subclasses decide how to print it.

    `lanes` says where matches are played: `4 at a time`, or `on tcp://host:8786`; `at_most` is that of schedules.
    """

    def __init__(self, name: str, lanes: str, at_most: str = "") -> None:
        self.name = name
        self.lanes = lanes
        self.at_most = at_most
        self.absentees: dict[str, Fault] = {}
        self.planned = self.done = self.played = 0
        self.begun = time.monotonic()

    @property
    def progress(self) -> RunProgress:
        """The progress of the run now."""
        return RunProgress(self.planned, self.at_most, self.done, self.played, time.monotonic() - self.begun)

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned, self.done, self.begun = planned, finished, time.monotonic()
        before = f", {finished} of them played before" if finished else ""
        self.line(f"{self.name}: {self.at_most}{planned} matches{before}, {self.lanes}")

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
        self.line(f"arena failed match {abort.match}, attempt {abort.attempt}: {output.safe_line(cause[0])}")

    def line(self, text: str) -> None:
        """Print a line at once."""
        output.notice(text)

    def tick(self) -> None:
        """Print the progress if that is due; the run calls this about ten times a second."""


class Lines(Watcher):
    """Prints a line for each tenth of the event, and when there was none for a while."""

    def __init__(self, name: str, lanes: str, at_most: str = "") -> None:
        super().__init__(name, lanes, at_most)
        self._last_tenth, self._last_time = 0, self.begun

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        super().begins(planned, finished)
        self._last_tenth, self._last_time = int(10 * self.progress.share), self.begun

    def tick(self) -> None:
        """Print the progress if a line is due."""
        progress, now = self.progress, time.monotonic()
        tenth = int(10 * progress.share)
        if tenth > self._last_tenth or now - self._last_time >= LINE_INTERVAL_S:
            self._last_tenth, self._last_time = tenth, now
            self.line(str(progress))

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        super().finished(record)
        self.tick()


class Display(Watcher):
    """Draws a bar with rate and time left, over the standings so far; four frames a second.

    The frame is rich's. rich.progress is not: its columns for the count, rate and time left would be as many lines as
    `_frame`, its rate covers the last 30 seconds only, and the lines in a pipe need our figures in any case.
    """

    def __init__(self, name: str, lanes: str, at_most: str, totals: "Totals") -> None:
        from rich.live import Live

        super().__init__(name, lanes, at_most)
        self._totals = totals
        self._drawn_at = 0.0
        self._live = Live(console=output.console(sys.stderr), auto_refresh=False, transient=True)

    def __enter__(self) -> "Display":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        super().begins(planned, finished)
        self._totals.begin()

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        super().finished(record)
        self._totals.add(record)
        self.tick()

    def line(self, text: str) -> None:
        """Print a line above the display."""
        from rich.text import Text

        self._live.console.print(Text(text))

    def tick(self) -> None:
        """Draw a frame if one is due."""
        if time.monotonic() - self._drawn_at >= FRAME_INTERVAL_S:
            self._live.update(self._frame(), refresh=True)
            self._drawn_at = time.monotonic()

    def _frame(self) -> "RenderableType":
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        progress = self.progress
        rate = "" if progress.rate is None else f"{progress.rate:.1f}/s"
        remaining = "" if progress.left is None else f"{duration(progress.left)} left"
        bar = ProgressBar(total=max(1, progress.planned), completed=progress.finished, width=30)
        line = Table.grid(padding=(0, 1))
        count = f"{progress.finished} of {progress.at_most}{progress.planned}"
        line.add_row(self.name, bar, count, rate, remaining)
        rows = self._totals.rows(BOTS_SHOWN)
        return Group(line, output.fitting_table(self._totals.headers, rows, self._live.console))


@contextmanager
def watcher(name: str, lanes: str, at_most: str, totals: "Totals") -> Iterator[Watcher]:
    """Show a live display on a terminal, else plain lines."""
    console = output.console(sys.stderr)
    display: AbstractContextManager[Watcher]
    if sys.stderr.isatty() and console.is_terminal and not console.is_dumb_terminal:
        display = Display(name, lanes, at_most, totals)
    else:
        display = contextlib.nullcontext(Lines(name, lanes, at_most))
    with display as result:
        yield result
