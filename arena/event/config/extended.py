"""tournament.toml with the tables of extensions, and with their keys in tables of the core.

Each class that is joined here has the name of the core's class, and is found in this module by that
name, because a tournament travels to other processes by the names of its classes.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from arena import extensions
from arena.errors import ArenaError
from arena.event.tables import ExtensionTable, Table

if TYPE_CHECKING:
    from arena.event.config import Tournament


@cache
def tournament_class() -> "type[Tournament]":
    """Return the class of a tournament.toml with all tables and keys of extensions."""
    from arena.event.config import Tournament  # which imports this module

    fields: dict[str, Any] = {}
    for name, table in tables().items():
        core_field = Tournament.model_fields.get(name)
        if core_field is None:
            description: str | None = extensions.tables()[name].line
        else:
            description = core_field.description
        if may_be_absent(table):
            fields[name] = (table | None, Field(None, description=description))
        else:
            fields[name] = (table, Field(table(), description=description))
    return create_model(
        Tournament.__name__,
        __base__=Tournament,
        __module__=__name__,
        **fields,
    )


def may_be_absent(table: type[Table]) -> bool:
    """Return whether an event may be without a table: one of its keys has no default."""
    return any(field.is_required() for field in table.model_fields.values())


@cache
def tables() -> Mapping[str, type[Table]]:
    """Return by name the tables of extensions, and the core's tables to which they add keys."""
    by_name: dict[str, type[Table]] = {}
    for name, added in extensions.tables().items():
        by_name[name] = extensions.load(added.path)
    for name, parts in extensions.keys().items():
        by_name[name] = _with_keys(name, parts)
    return by_name


def inner_tables(file: Mapping[str, Any]) -> Mapping[str, type[Table]]:
    """Return by name the tables of a file whose last names the user chose, such as `models.gpt`."""
    by_name: dict[str, type[Table]] = {}
    for name, table in tables().items():
        if not issubclass(table, ExtensionTable):
            continue
        inner = table.inner()
        named = file.get(name)
        if inner is None or not isinstance(named, dict):
            continue
        for own_name in named:
            by_name[f"{name}.{own_name}"] = inner
    return by_name


def _with_keys(name: str, parts: Mapping[str, str]) -> type[Table]:
    """Return a table of the core with the keys of extensions.

    `parts` are the paths of the classes with these keys, by extension.
    """
    core = _core_tables().get(name)
    if core is None:
        first_extension = next(iter(parts))
        raise ArenaError(
            f"extension {first_extension}: tournament.toml has no table {name!r} to which keys "
            "can be added; uninstall its package, or have it mended"
        )
    keys = set(core.model_fields)
    bases: list[type[Table]] = []
    for extension, path in parts.items():
        part = extensions.load(path)
        for key in part.model_fields:
            if key in keys:
                raise ArenaError(
                    f"extension {extension}: there is a key {name}.{key} already; "
                    "uninstall its package, or have it renamed"
                )
            keys.add(key)
        bases.insert(0, part)  # pydantic lists the fields of the last class first
    return create_model(
        core.__name__,
        __base__=(*bases, core),
        __module__=__name__,
        __doc__=core.__doc__,
    )


def _core_tables() -> Mapping[str, type[Table]]:
    """Return by name the tables of the core in which every key has a default."""
    from arena.event.config import Tournament  # which imports this module

    by_name: dict[str, type[Table]] = {}
    for name, field in Tournament.model_fields.items():
        if isinstance(field.default, Table):
            by_name[name] = type(field.default)
    return by_name


if not TYPE_CHECKING:  # mypy would believe in any name

    def __getattr__(name: str) -> type[Table]:
        """Return a joined class by its name, as pickle asks for it."""
        for joined in (tournament_class(), *tables().values()):
            if joined.__module__ == __name__ and joined.__name__ == name:
                return joined
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
