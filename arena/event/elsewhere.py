"""Lanes elsewhere: who plays a run in place of the lanes of this machine. Extensions bring them.

It knows none of them: the hook is `AddedLanes` of arena/extensions.py.
"""

# Which hook, and why ------------------- What comes from elsewhere is one question: who opens the
# lanes of this run? Three answers were weighed. A scheme of its own for each address (`tcp:` is
# dask's) would give one extension the names of a protocol for good. A function for each extension,
# asked whether it knows an address, would import all of them for each run on this machine. So an
# extension declares a pattern, which the command line needs, and a key of tournament.toml, where an
# event says the same; its function is imported by a run, and reads its own key.

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from arena import extensions
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.event.workers import OpenLanes


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """Where a run is played, if not on this machine."""

    where: str
    """For people, such as `on tcp://host:8786`."""
    opened: "Callable[[Callable[[str], None]], OpenLanes]"
    """Gets what prints a line for the user while the run lasts. ArenaError where there are no lanes."""


LanesOf: TypeAlias = "Callable[[Tournament], Elsewhere | None]"
"""The function of an extension. It returns None where this machine is to play."""


def is_address(workers: str) -> bool:
    """Return whether a value of `--workers` is the address of lanes elsewhere."""
    return any(re.fullmatch(added.address, workers) for added in extensions.lanes())


def keys_of(workers: str) -> dict[str, object]:
    """Return what a value of `--workers` says, whatever tournament.toml has: an address by its key, or `none`."""
    keys: dict[str, object] = {}
    for added in extensions.lanes():
        keys[added.key] = workers if re.fullmatch(added.address, workers) else "none"
    return keys


def lanes_of(tournament: "Tournament") -> Elsewhere | None:
    """Return where a tournament is played; None = here. ArenaError if two extensions would play it."""
    found: dict[str, Elsewhere] = {}
    for added in extensions.lanes():
        lanes_of_extension: LanesOf = extensions.load(added.path)
        lanes = lanes_of_extension(tournament)
        if lanes is not None:
            found[added.key] = lanes
    if len(found) > 1:
        raise ArenaError(
            f"{' and '.join(found)}: each names other lanes for the matches; leave one of them out"
        )
    return next(iter(found.values()), None)


def help_of_workers() -> str:
    """Return the help of `arena run --workers`."""
    examples = [added.example for added in extensions.lanes()]
    ways = ["a number", "auto", *examples]
    return f"Matches at once: {', '.join(ways[:-1])}, or {ways[-1]}."
