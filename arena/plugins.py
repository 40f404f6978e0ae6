"""Plug-ins: what installed packages add to arena by entry points, found by group and name.

Groups are `arena.rules` (which games/rulebook.py reads), `arena.schedules`, `arena.ratings`, `arena.charts` and
`arena.starters`. This module knows no group's contract. A plug-in's code runs inside arena: it is trusted, as rules
are.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from arena.errors import ArenaError


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
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ArenaError(f"plug-in {name}: {path}: {reason}; install its package again") from error
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
    from importlib.metadata import entry_points  # takes longer to import than all of this

    found: dict[str, str] = {}
    for point in sorted(entry_points(group=group)):
        found.setdefault(point.name, point.module)
    return found
