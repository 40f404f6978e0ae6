"""tournament.toml with what extensions add: tables of their own, and keys in tables of the core.

Each class that is joined here has the name of the core's class, and is found by it here, because a
tournament travels to other processes by the names of its classes.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from arena import extensions
from arena.errors import ArenaError
from arena.event.tables import Table

if TYPE_CHECKING:
    from arena.event.config import Tournament


@cache
def tournament_class() -> "type[Tournament]":
    """Return the class of a tournament.toml with everything that extensions add."""
    from arena.event.config import Tournament  # which imports this module

    fields: dict[str, Any] = {}
    for name, table in tables().items():
        known = Tournament.model_fields.get(name)
        line = extensions.tables()[name].line if known is None else known.description
        if may_be_absent(table):
            fields[name] = (table | None, Field(None, description=line))
        else:
            fields[name] = (table, Field(table(), description=line))
    return create_model(Tournament.__name__, __base__=Tournament, __module__=__name__, **fields)


def may_be_absent(table: type[Table]) -> bool:
    """Return whether a table has a key without a default, so that an event may be without the table."""
    return any(field.is_required() for field in table.model_fields.values())


@cache
def tables() -> Mapping[str, type[Table]]:
    """Return by name the tables that extensions add, and the core's tables to which they add keys."""
    found: dict[str, type[Table]] = {}
    for name, added in extensions.tables().items():
        found[name] = extensions.load(added.path)
    for name, parts in extensions.keys().items():
        found[name] = _with_keys(name, parts)
    return found


def _with_keys(name: str, parts: Mapping[str, str]) -> type[Table]:
    """Return a table of the core with more keys; `parts` are the paths of their classes by extension."""
    core = _core_tables().get(name)
    if core is None:
        raise ArenaError(
            f"extension {next(iter(parts))}: tournament.toml has no table {name!r} to which keys can be added; "
            "uninstall its package, or have it mended"
        )
    keys = {*core.model_fields}
    bases: list[type[Table]] = []
    for extension, path in parts.items():
        part = extensions.load(path)
        for key in part.model_fields:
            if key in keys:
                raise ArenaError(
                    f"extension {extension}: there is a key {name}.{key} already; uninstall its package, or have it "
                    "renamed"
                )
            keys.add(key)
        bases.insert(0, part)  # pydantic lists the fields of the last class first
    return create_model(
        core.__name__, __base__=(*bases, core), __module__=__name__, __doc__=core.__doc__
    )


def _core_tables() -> Mapping[str, type[Table]]:
    """Return by name the tables of the core in which every key has a default."""
    from arena.event.config import Tournament  # which imports this module

    found: dict[str, type[Table]] = {}
    for name, field in Tournament.model_fields.items():
        if isinstance(field.default, Table):
            found[name] = type(field.default)
    return found


if not TYPE_CHECKING:  # mypy would believe in any name

    def __getattr__(name: str) -> type[Table]:
        """Return a joined class by its name, as pickle asks for it."""
        for made in (tournament_class(), *tables().values()):
            if made.__module__ == __name__ and made.__name__ == name:
                return made
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
