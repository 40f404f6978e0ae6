"""Who watches a run: keeps count of it, and says in plain lines on stderr how far it is.

The run calls the methods of `arena.tournament.Audience` as things happen, and `tick` about ten times a second. What a
terminal sees instead is display.py's.
"""

import time

from arena.cli import screen
from arena.cli.run.progress import Progress
from arena.match import Abort, Fault, Record

QUIET = 10.0  # seconds without a line, when piped


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


def absence(bot: str, fault: Fault) -> str:
    """Who never said `ready`, and what became of it."""
    return f"{screen.shown(bot)} is absent, its matches are forfeited: {fault.ending}: {screen.shown(fault.words, 500)}"
