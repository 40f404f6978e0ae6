"""Schedules: one file each, found by its name. A file has the three functions of `Schedule`, all pure."""

from collections.abc import Collection, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from arena.errors import ArenaError, known_are
from arena.values import Event, Match, Played

Batch = tuple[Played, ...]
"""The results of one batch of matches, in the order of its plan, never of finishing."""


class Schedule(Protocol):
    """A file in this folder."""

    def due(self, event: Event, played: Collection[str]) -> tuple[Match, ...]:
        """Return the matches that can be played now and are not yet, in order, at most a window of them; `()` = over.

        `played` are the ids on disk, so resuming an event is the same call.
        """
        ...

    def count(self, event: Event) -> Mapping[str, int]:
        """Return how many matches `plan` has on each board, by the board's label, without making them."""
        ...

    def plan(self, event: Event) -> tuple[Match, ...]:
        """Return every match of the event that is known by now."""
        ...


def names() -> tuple[str, ...]:
    """Return the names of all schedules."""
    return tuple(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))


def find(name: str) -> Schedule:
    """Return the schedule of that name; ArenaError when there is none."""
    if name not in names():
        raise ArenaError(f"schedule: there is no {name!r}; {known_are(name, names())}")
    return cast("Schedule", import_module(f"{__name__}.{name}"))
