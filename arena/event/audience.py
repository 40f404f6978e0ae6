"""Who hears of a run: the observer of its caller, and those of extensions."""

from pathlib import Path
from typing import Protocol

from arena import extensions
from arena.values import Abort, Event, Fault, Record


class Audience(Protocol):
    """An observer of an event that is played; every method is called in the main thread."""

    def begins(self, planned: int, finished: int) -> None:
        """Take note of the beginning of a run.

        `planned` is the exact number of matches or a bound, `finished` the number on disk.
        """

    def absent(self, bot: str, fault: Fault) -> None:
        """Take note that this bot never said `ready`: its matches are forfeited."""

    def finished(self, record: Record) -> None:
        """Take note that this match is over, and stored."""

    def aborted(self, abort: Abort) -> None:
        """Take note that arena failed this match."""


class Audiences:
    """The observer of the caller of a run, and after it the observers of extensions."""

    # An observer is called in the main thread, and its work delays the lanes. A list of records at
    # the end would delay no lane, but a webhook for each match needs them at once. An exception of
    # an observer ends the run: its code is trusted, and a fault in it should be seen. Stored
    # records stay stored.

    def __init__(self, audience: Audience, event: Event, folder: Path) -> None:
        self._all: list[Audience] = [audience]
        for path in extensions.audiences():
            self._all.append(extensions.load(path)(event, folder))

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.begins(planned, finished)

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.absent(bot, fault)

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.finished(record)

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.aborted(abort)
