"""Plug-ins: what installed packages add to arena by entry points, found by group and name.

Groups are `arena.rules` (whose files games/rulebook.py takes) and `arena.schedules`. This module
knows no group's contract. A plug-in's code runs inside arena: it is trusted, as rules are.
"""

import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from arena.errors import ArenaError, named

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def points(group: str) -> "tuple[EntryPoint, ...]":
    """Return the entry points of a group, in order.

    They are those of the packages that were installed when they were first read.
    """
    return _points(group, tuple(sys.path))


@lru_cache  # reading them takes 10 ms, and a leaderboard asks for each of its boards
def _points(group: str, _path: tuple[str, ...]) -> "tuple[EntryPoint, ...]":
    from importlib.metadata import entry_points  # its import takes longer than that of this module

    return tuple(sorted(entry_points().select(group=group)))


def names(group: str, shipped: Iterable[str]) -> tuple[str, ...]:
    """Return the names that arena ships, then those that only plug-ins have, in order."""
    known = tuple(shipped)
    added = {point.name for point in points(group)} - set(known)
    return known + tuple(sorted(added))


def module(group: str, name: str, parts: Iterable[str]) -> ModuleType:
    """Import the module that a plug-in names.

    Raise ArenaError when its package is damaged, or lacks one of these parts.
    """
    points_of_name = (point for point in points(group) if point.name == name)
    path = next(points_of_name).module  # the first counts
    try:
        imported = import_module(path)
    except Exception as error:  # the package is the user's, and so is whatever it raises
        raise ArenaError(
            f"plug-in {name}: {path}: {named(error)}; install its package again"
        ) from error
    for part in parts:
        if not hasattr(imported, part):
            raise ArenaError(
                f"plug-in {name}: {path} has no {part!r}; "
                f"`arena docs formats` says what {group} needs"
            )
    return imported
