"""The display of a run on stderr: a frame on a terminal, in a pipe a line now and then.

The run calls the methods of `arena.event.audience.Audience` as things happen, and `tick` about
ten times a second. A terminal that is gone is no reason to stop: `streams.py` swallows the frames
that are drawn on it.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.cli import output
from arena.event import run_words
from arena.values import Abort, Event, Fault, Record

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from arena.event.tournament import Progress

LINE_INTERVAL_S = 10.0  # the longest time without a line in a pipe
FRAME_INTERVAL_S = 0.25


def duration(seconds: float) -> str:
    """Return a time as short text: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    minutes, rest_s = divmod(rounded, 60)
    if minutes < 60:
        return f"{minutes} min {rest_s:02d} s"
    hours, rest_min = divmod(minutes, 60)
    return f"{hours} h {rest_min:02d} min"


def notice_given_up(aborts: Iterable[Abort]) -> None:
    """Print a line for each match that arena gave up."""
    for abort in aborts:
        output.notice(
            f"match {abort.match} was given up after {abort.attempt} attempts: {_failure(abort)}"
        )


def _failure(abort: Abort) -> str:
    """Return the last line of the cause for which arena failed a match."""
    lines = abort.cause.strip().splitlines()
    if not lines:
        return "no words"
    return output.safe_line(lines[-1])


class Watcher:
    """Counts the matches of a run, and shows the progress.

    `lanes` says where matches are played: `4 at a time`, or `on tcp://host:8786`. `at_most` is what
    `schedules.at_most` returns.
    """

    live: "Live | None" = None
    """The frame; None where stderr is no terminal."""

    def __init__(self, name: str, lanes: str, at_most: str) -> None:
        self.name = name
        self.lanes = lanes
        self.at_most = at_most
        self.absentees: dict[str, Fault] = {}
        self.planned = 0
        self.done = 0
        self.played = 0
        self.waits: tuple[str, ...] = ()
        """For whom matches wait now, a sentence each."""
        self.begun = time.monotonic()
        self._shown_at = self.begun
        self._shown_tenth = 0

    @property
    def rate(self) -> float | None:
        """Matches a second in this run; None before the first match."""
        seconds = time.monotonic() - self.begun
        if not self.played or seconds <= 0:
            return None
        return self.played / seconds

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned = planned
        self.done = finished
        self.begun = time.monotonic()
        self._shown_tenth = self._tenth()
        before = ""
        if finished:
            before = f", {finished} of them played before"
        self.line(f"{self.name}: {self.at_most}{planned} matches{before}, {self.lanes}")

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.absentees[bot] = fault
        self.line(run_words.absence(bot, fault))

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        del record
        self.done += 1
        self.played += 1
        self.tick()

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        self.line(f"arena failed match {abort.match}, attempt {abort.attempt}: {_failure(abort)}")

    def show_waits(self, sentences: tuple[str, ...]) -> None:
        """Take note of whom matches wait for; in a pipe, say so when it begins and when it ends."""
        if self.live is None and bool(sentences) != bool(self.waits):
            for sentence in sentences or ("the matches go on",):
                self.line(sentence)
        self.waits = sentences

    def line(self, text: str) -> None:
        """Print a line at once, above the frame."""
        if self.live is None:
            output.notice(text)
        else:
            from rich.text import Text

            self.live.console.print(Text(output.safe_lines(text)))

    def tick(self) -> None:
        """Show the progress if that is due; the run calls this about ten times a second.

        In a pipe there is a line for each tenth of the event, and when there was none for a while.
        """
        now = time.monotonic()
        silence = now - self._shown_at
        tenth = self._tenth()
        if self.live is not None and silence >= FRAME_INTERVAL_S:
            self.live.update(self.frame(), refresh=True)
        elif self.live is None and (tenth > self._shown_tenth or silence >= LINE_INTERVAL_S):
            self.line(self.summary())
        else:
            return
        self._shown_at = now
        self._shown_tenth = tenth

    def lines(self) -> list[str]:
        """Return the progress as lines for a terminal."""
        percent = output.percent_done(self.done, self.planned)
        parts = [f"{self.done} of {self.at_most}{self.planned} matches ({percent} %)"]
        if self.rate is not None:
            parts.append(f"{self.rate:.1f}/s")
            if self.done < self.planned:
                seconds = (self.planned - self.done) / self.rate
                end = run_words.clock_in(seconds)
                parts.append(f"about {duration(seconds)} left, until {end}")
        return [", ".join(parts)]

    def summary(self) -> str:
        """Return the progress as one line."""
        return "; ".join(self._lines_and_waits())

    def frame(self) -> "RenderableType":
        """Return the frame for a terminal."""
        from rich.text import Text

        return Text("\n".join(self._lines_and_waits()))

    def _lines_and_waits(self) -> Iterator[str]:
        """Yield the lines, then what the run waits for."""
        yield from self.lines()
        yield from map(output.safe_line, self.waits)

    def _tenth(self) -> int:
        if not self.planned:
            return 10
        return 10 * self.done // self.planned


def play(
    event: Event,
    folder: Path,
    watcher: Watcher,
    is_over: Callable[[], object],
    **settings: Any,
) -> "Progress":
    """Play what is due of an event while the watcher shows it, until `is_over`.

    `settings` are for `tournament.run`.
    """
    from arena.event import tournament

    def stopped() -> bool:
        watcher.tick()  # the run calls this about ten times a second, also when no match ends
        return bool(is_over())

    with _live_frame() as watcher.live:
        outcome = tournament.run(
            event,
            folder,
            audience=watcher,
            stopped=stopped,
            show_waits=watcher.show_waits,
            **settings,
        )
    if outcome.unlogged:
        output.notice(outcome.unlogged)
    return outcome


@contextmanager
def _live_frame() -> "Iterator[Live | None]":
    """Yield a frame at the bottom of the terminal; None where stderr is no terminal."""
    console = output.console(sys.stderr)
    if not sys.stderr.isatty() or not console.is_terminal or console.is_dumb_terminal:
        yield None
        return
    from rich.live import Live

    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield live
