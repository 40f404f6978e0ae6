"""Plug-ins: what installed packages add to arena by entry points, found by group and name.

Groups are `arena.rules` (whose files games/rulebook.py takes), `arena.schedules`, `arena.ratings`, `arena.charts` and
`arena.starters`. This module knows no group's contract. A plug-in's code runs inside arena: it is trusted, as rules
are.
"""

import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from arena.errors import ArenaError, named

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, SelectableGroups


def points(group: str) -> "tuple[EntryPoint, ...]":
    """Return the entry points of a group, in order, of the packages that are installed now."""
    # Reading them takes 10 ms, and a leaderboard asks for each of its boards. pip makes or removes a folder for each
    # package, so nothing has changed while the folders of sys.path are unchanged.
    return _points(group, tuple(_state(folder) for folder in sys.path))


def _state(folder: str) -> tuple[str, int]:
    """Return the absolute path of a folder, and when its list of files last changed; -1 when it cannot be read."""
    path = os.path.abspath(folder)  # noqa: PTH100  # pathlib takes ten times as long
    try:
        return path, os.stat(path).st_mtime_ns  # noqa: PTH116
    except OSError:
        return path, -1


@lru_cache(maxsize=64)
def _points(group: str, folders: tuple[tuple[str, int], ...]) -> "tuple[EntryPoint, ...]":
    return tuple(sorted(_all_points(folders).select(group=group)))


@lru_cache(maxsize=8)
def _all_points(_folders: tuple[tuple[str, int], ...]) -> "SelectableGroups":  # EntryPoints since Python 3.12
    from importlib.metadata import entry_points  # its import takes longer than that of this module

    return entry_points()


def names(group: str, shipped: Iterable[str]) -> tuple[str, ...]:
    """Return the names that arena ships, then those that only plug-ins have, in order."""
    own = tuple(shipped)
    return (*own, *sorted(_modules(group).keys() - set(own)))


def module(group: str, name: str, parts: Iterable[str]) -> ModuleType:
    """Import the module that a plug-in names; ArenaError when its package is damaged, or lacks one of these parts."""
    path = _modules(group)[name]
    try:
        imported = import_module(path)
    except Exception as error:  # the package is the user's, and so is whatever it raises
        raise ArenaError(f"plug-in {name}: {path}: {named(error)}; install its package again") from error
    for part in parts:
        if not hasattr(imported, part):
            raise ArenaError(f"plug-in {name}: {path} has no {part!r}; docs/formats.md says what {group} needs")
    return imported


def folder_of(group: str, name: str) -> Path:
    """Return the folder of the package that a plug-in names, which is not run; ArenaError when there is none."""
    path = _modules(group)[name]
    try:
        spec = find_spec(path)
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ArenaError(f"plug-in {name}: there is no package {path!r}; install its package again")
    return Path(next(iter(spec.submodule_search_locations)))


def _modules(group: str) -> dict[str, str]:
    """Return the module of each plug-in of a group, by name; of two of one name the first in order counts."""
    modules: dict[str, str] = {}
    for point in points(group):
        modules.setdefault(point.name, point.module)
    return modules
