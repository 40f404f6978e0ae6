"""Schedules: a file each, found by its name, or plug-ins. Each has the parts of `Schedule`.

A schedule is pure: it knows the event and what was played with its results, and nothing of workers,
clocks or files. So an event that was interrupted anywhere goes on with the same matches, with any
number of workers.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Protocol, cast

from arena import plugins
from arena.errors import ArenaError, known_are
from arena.identity import digest_of, file_digest
from arena.values import IMPORTED, Batch, Event, Match

GROUP = "arena.schedules"


class Schedule(Protocol):
    """A file in this folder, or the module of an entry point of the group `arena.schedules`.

    Three parts are optional. `LOOKS_EACH_REPEAT = True` says that all pairings play a repeat before
    the next one begins; then `stop_when` looks after each repeat, and not only after each batch.
    `COUNT_IS_A_BOUND = True` says that results decide how many matches there are. `placings(league,
    history)` returns a table of places in a game (event/placings.py), for an event whose result is
    not the leaderboard alone.
    """

    BEHIND: int
    """Batch `n` depends on the results of the batches before `n - BEHIND`.

    0 = it depends on all earlier batches (Swiss, knockout). 1 = it does not depend on the last
    batch, which may still be played when batch `n` begins, so that no lane waits (ladder)."""

    def batch(
        self,
        event: Event,
        number: int,
        history: Sequence[Batch],
    ) -> Iterable[Match]:
        """Yield the matches of batch 0, 1, ... in order; no match = the event is over.

        `history` are the results of the complete batches 0 to `number - 1 - BEHIND`. It is read
        from disk when it is looked at. The same arguments give the same matches, each id once in an
        event. A schedule that never looks at results has a single batch, and yields it lazily: of a
        thousand bots it has a million matches.
        """
        ...

    def count(self, event: Event) -> Mapping[str, int]:
        """Return how many matches are planned on each board, by its label, without making them.

        Where results decide how many there are it is a bound; the schedule's docstring says which.
        """
        ...


def names() -> tuple[str, ...]:
    """Return the names of all schedules: those of this folder, then those of plug-ins."""
    return plugins.names(GROUP, _shipped())


def known(name: str) -> str:
    """Return the name; ArenaError when there is no schedule of that name."""
    all_names = names()
    if name not in all_names:
        known_names = known_are(name, all_names)
        raise ArenaError(f"schedule: there is no {name!r}; {known_names}")
    return name


def find(name: str) -> Schedule:
    """Return the schedule of that name; ArenaError if there is none, or if a plug-in is damaged."""
    return cast("Schedule", _module(name))


def is_shipped(name: str) -> bool:
    """Return whether a schedule is arena's own, and not a plug-in."""
    return name in _shipped()


def total(event: Event) -> int:
    """Return how many matches an event plans, or a bound where results decide."""
    by_board = find(event.schedule).count(event)
    planned = sum(by_board.values())
    if event.max_matches is None:
        return planned
    return min(planned, event.max_matches)


def at_most(event: Event) -> str:
    """Return the words before `total`: `at most ` where results decide the number of matches."""
    if event.stop_when is not None:
        return "at most "
    schedule = find(event.schedule)
    if getattr(schedule, "COUNT_IS_A_BOUND", False):
        return "at most "
    return ""


def code_digest(name: str) -> str:
    """Return a hash of the code of a schedule, because other code may make another plan.

    The files of this folder use each other, so all of them are part of it.
    """
    folder = Path(__path__[0])
    files = sorted(folder.glob("*.py"))
    path = _module(name).__file__
    if path is not None:
        files.append(Path(path))
    digests = [(file.name, file_digest(file)) for file in files]
    return digest_of(digests, length=64)


def _shipped() -> tuple[str, ...]:
    """Return the names of arena's own schedules: the public modules of this folder."""
    shipped: list[str] = []
    for module in iter_modules(__path__):
        if not module.name.startswith("_"):
            shipped.append(module.name)
    return tuple(shipped)


def _module(name: str) -> ModuleType:
    """Return the module of a schedule; ArenaError as in `find`."""
    if name == IMPORTED:  # no tournament.toml may name it
        return import_module(f"{__name__}._imported")
    if is_shipped(name):
        return import_module(f"{__name__}.{name}")
    known(name)
    module = plugins.module(GROUP, name, ("BEHIND", "batch", "count"))
    if not isinstance(module.BEHIND, int) or module.BEHIND < 0:
        raise ArenaError(
            f"schedule {name!r}: its BEHIND is {module.BEHIND!r}, and must be 0, 1, ...; "
            "ask its author"
        )
    return module
