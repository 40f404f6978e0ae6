"""Lanes elsewhere, which extensions bring: they play a run in place of this machine's lanes.

This module knows no extension: the hook is `AddedLanes` of arena/extensions.py.
"""

# Which hook, and why
# -------------------
# The hook answers one question: who opens the lanes of this run? Three answers were weighed. A
# scheme for each kind of address (`tcp:` is dask's) would give one extension the name of a protocol
# for good. Asking a function of each extension whether it knows an address would import all
# extensions for each run on this machine. So an extension declares a pattern, which the command
# line needs, and a key of tournament.toml, by which an event says the same. Its function is
# imported by a run, and reads this key.

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
    """Opens the lanes; its argument prints a line for the user while the run lasts.

    ArenaError where there are no lanes."""


LanesOf: TypeAlias = "Callable[[Tournament], Elsewhere | None]"
"""The function of an extension. It returns None where this machine is to play."""


def is_address(workers: str) -> bool:
    """Return whether a value of `--workers` is the address of lanes elsewhere."""
    return any(re.fullmatch(added.address, workers) for added in extensions.lanes())


def keys_of(workers: str) -> dict[str, object]:
    """Return the keys of tournament.toml that a value of `--workers` sets.

    The key of an extension whose address it is gets the address; all others get `none`.
    """
    keys: dict[str, object] = {}
    for added in extensions.lanes():
        keys[added.key] = "none"
        if re.fullmatch(added.address, workers):
            keys[added.key] = workers
    return keys


def lanes_of(tournament: "Tournament") -> Elsewhere | None:
    """Return where a tournament is played, or None for this machine.

    ArenaError if two extensions would play it.
    """
    lanes_by_key: dict[str, Elsewhere] = {}
    for added in extensions.lanes():
        lanes_of_extension: LanesOf = extensions.load(added.path)
        lanes = lanes_of_extension(tournament)
        if lanes is not None:
            lanes_by_key[added.key] = lanes
    if len(lanes_by_key) > 1:
        keys = " and ".join(lanes_by_key)
        raise ArenaError(f"{keys}: each names other lanes for the matches; leave one of them out")
    if not lanes_by_key:
        return None
    (only_lanes,) = lanes_by_key.values()
    return only_lanes


def help_of_workers() -> str:
    """Return the help of `arena run --workers`."""
    values = ["a number", "auto"]
    values += [added.example for added in extensions.lanes()]
    *first_values, last_value = values
    listed = ", ".join(first_values)
    return f"Matches at once: {listed}, or {last_value}."
