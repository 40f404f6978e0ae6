"""Who meets whom: one file a schedule, found by its name. A file has the two functions of `Schedule`, both pure."""

from collections.abc import Collection
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from arena.errors import ArenaError, known_are
from arena.event import Event
from arena.match import Match


class Schedule(Protocol):
    """What a file in this folder is."""

    def due(self, event: Event, played: Collection[str]) -> tuple[Match, ...]:
        """The matches playable now and not yet played, in order, at most a window of them; `()` = over.

        Resuming an event is calling it with the ids that are on disk.
        """
        ...

    def plan(self, event: Event) -> tuple[Match, ...]:
        """Every match of the event that is known by now."""
        ...


def names() -> tuple[str, ...]:
    """The schedules there are."""
    return tuple(found.name for found in iter_modules(__path__) if not found.name.startswith("_"))


def find(name: str) -> Schedule:
    """The schedule of that name; ArenaError when there is none."""
    if name not in names():
        raise ArenaError(f"schedule: there is no {name!r}; {known_are(name, names())}")
    return cast("Schedule", import_module(f"{__name__}.{name}"))
