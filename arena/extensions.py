"""Extensions: what the folders of arena/extras/ and installed packages add to arena.

The core knows no extension by name. Each declares what it adds in a value, `EXTENSION`: names, and
paths of what is imported when it is used. An installed package declares it by an entry point of the
group `arena.extensions`. Its code runs inside arena, so it is trusted, as rules are.
"""

# Why plain values, and not pluggy, which pytest, datasette and conda use
# ----------------------------------------------------------------------
# A hook of pluggy is a function of the plug-in, so whoever asks must have imported every plug-in.
# `arena --help` would import all of them, and the completion of a shell does so at each press of a
# key. What is declared here is data: the help has a command's line without its module. pluggy's own
# gains are an order among answers, wrappers, and a first answer that wins; each hook here collects
# names, no two of which may be equal, so it needs none of them. A mistake in a value is found by
# mypy in the extension's own tests; pluggy finds it at run time.
#
# Why an added option takes its command over
# ------------------------------------------
# Commands print as they go and return nothing, so there is no result that a function of an
# extension could get afterwards. Most such options ask for another thing of the same subject: a
# contest instead of a workspace, a picture instead of tables. Where one adds to the work of the
# command, its function calls the parts of the command itself. A command of its own (`arena card`)
# with the old spelling beside it would be two ways to do one thing. A parameter that the core
# passes on without knowing it would need a place in each command that passes it.

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from arena import plugins
from arena.errors import ArenaError, named

GROUP = "arena.extensions"
EXTRAS = "arena.extras"
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class AddedCommand:
    """A command of `arena`."""

    name: str
    line: str
    """What it does, for `arena --help`; its own help says more."""
    path: str
    """`package.module:function`; the parameters of the function are typer's."""


@dataclass(frozen=True, kw_only=True)
class AddedOptions:
    """Options of a command that is there already.

    Where one of them is given, their function runs in its place.
    """

    command: str
    """The name of the command. Without such a command there are no options."""
    path: str
    """`package.module:function`. Those of its parameters that the command has, too, by name, get
    the command's values. Each other one is an option, as typer declares it, with a default."""


@dataclass(frozen=True, kw_only=True)
class AddedFrame:
    """A pandas frame of results."""

    path: str
    """`package.module:function`; the function gets the results."""
    columns: str
    """`package.module:NAME` of the frame's `Columns`."""
    file_if: str = ""
    """`package.module:function` of what tells whether results have the frame as a CSV file of its
    name; empty: they never have."""
    leaderboard: tuple[str, ...] = ()
    """Columns of the frame, which has a row for each bot, that the leaderboard has, too, where
    there is such a file. arena/results/columns.py declares them."""


@dataclass(frozen=True, kw_only=True)
class AddedSection:
    """What stands below the leaderboard, in the report and on the terminal."""

    page: str
    """`package.module:function`; the function gets the results, and returns HTML as a
    `markupsafe.Markup`, or None for no section (arena/report/sections.py makes one of a frame)."""
    terminal: str = ""
    """`package.module:function`; the function gets the results, and prints the same."""


@dataclass(frozen=True, kw_only=True)
class AddedTable:
    """A table of tournament.toml.

    One that an event leaves out has its defaults, or is None if a key has none.
    """

    path: str
    """`package.module:Class` of a subclass of `arena.event.tables.Table`."""
    line: str
    """What it is for, in the schema."""


@dataclass(frozen=True, kw_only=True)
class AddedLanes:
    """Lanes elsewhere, such as those of a cluster: they play a run in place of lanes here."""

    address: str
    """A regular expression: an address that is typed as `arena run --workers ADDRESS`."""
    example: str
    """Such an address in words, for the help of `--workers`."""
    key: str
    """The key of tournament.toml that has the address, such as `workers.cluster`; `"none"` is
    none."""
    path: str
    """`package.module:function`; arena/event/elsewhere.py has its type."""


@dataclass(frozen=True, kw_only=True)
class AddedBridge:
    """A program that stands between the protocol and a bot that speaks in another way.

    It is confined together with the bot.
    """

    path: str
    """`package:folder/program.py`, beside the file of the package. The bot may read everything in
    that folder, and all of it is in the digest of a bot with this bridge."""
    line: str
    """What it takes, in the list of bridges."""
    games: tuple[str, ...] = ()
    """The games or boards that a new bot with it plays; `()` = all."""
    starts_engine: bool = False
    """True when it starts the bot's command as a second process, which the bot is then allowed."""
    skeleton: str = ""
    """`package:folder` of a small bot that plays behind it, beside the file of the package: a
    bot.toml, which names one board in `games`, and the program. Empty = there is none."""


@dataclass(frozen=True, kw_only=True)
class Extension:
    """What one extension adds."""

    commands: tuple[AddedCommand, ...] = ()
    options: tuple[AddedOptions, ...] = ()
    charts: Mapping[str, str] = field(default_factory=dict)
    """By name: the path of a module with the parts of a chart (arena/charts/__init__.py)."""
    frames: Mapping[str, AddedFrame] = field(default_factory=dict)
    """By the name of a method of `Results`."""
    tables: Mapping[str, AddedTable] = field(default_factory=dict)
    """By the name of the table."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """By the name of a table of the core in which each key has a default, such as `workers`: the
    path `package.module:Class` of a subclass of `arena.event.tables.Table`, whose keys that table
    gets."""
    lanes: tuple[AddedLanes, ...] = ()
    seats: tuple[str, ...] = ()
    """Kinds of seat: the path `package.module:function` of each function of the type `Kind`
    (arena/match/seat.py)."""
    audiences: tuple[str, ...] = ()
    """Observers of runs: the path `package.module:function` of each function that gets the event
    and the folder of its results, and returns an `Audience` (arena/event/audience.py)."""
    starters: tuple[str, ...] = ()
    """Starter kits: the path `package:folder` of each, beside the file of the package."""
    wrappers: tuple[str, ...] = ()
    """What stands around seats: the path `package.module:function` of each function of the type
    `Wrap` (arena/match/seat.py)."""
    bridges: Mapping[str, AddedBridge] = field(default_factory=dict)
    """By the name that `bridge` in a bot.toml has."""
    services: Mapping[str, str] = field(default_factory=dict)
    """By name: the path `package.module:NAME` of a `Service` (arena/event/service.py)."""
    sections: Mapping[str, AddedSection] = field(default_factory=dict)
    """By name."""


def load(path: str) -> Any:
    """Import what a path `package.module:name` names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


@cache
def extras() -> Mapping[str, Extension]:
    """Return the extensions in arena/extras/ by name, in order of name."""
    folder = Path(__file__).with_name("extras")
    extensions_by_name: dict[str, Extension] = {}
    for found in iter_modules([str(folder)]):
        module = import_module(f"{EXTRAS}.{found.name}")
        extensions_by_name[found.name] = module.EXTENSION
    return extensions_by_name


def installed() -> Iterator[tuple[str, Extension]]:
    """Yield the extensions of installed packages by name; ArenaError for a package that is damaged.

    To look for them takes longer than most commands need to start.
    """
    for point in plugins.points(GROUP):
        try:
            extension = point.load()
        except Exception as error:  # the package is the user's, and so is whatever it raises
            raise ArenaError(
                f"extension {point.name}: {point.value}: {named(error)}; install its package again"
            ) from error
        if not isinstance(extension, Extension):
            raise ArenaError(
                f"extension {point.name}: {point.value} is no arena.extensions.Extension; "
                "`arena docs extensions` says what it must be"
            )
        yield point.name, extension


def every() -> Iterator[tuple[str, Extension]]:
    """Yield all extensions by name: those in arena/extras/, then those of installed packages."""
    yield from extras().items()
    yield from installed()


def options(command: str, *, all_packages: bool) -> Iterator[tuple[str, AddedOptions]]:
    """Yield the options that extensions add to a command, by the name of the extension.

    Only with `all_packages` those of installed packages are looked for.
    """
    if all_packages:
        extensions = every()
    else:
        extensions = iter(extras().items())
    for name, extension in extensions:
        for declared in extension.options:
            if declared.command == command:
                yield name, declared


def commands() -> frozenset[str]:
    """Return the names of the commands that extensions add.

    A message or page of the core names such a command only if it is there.
    """
    names: set[str] = set()
    for _, extension in every():
        names.update(command.name for command in extension.commands)
    return frozenset(names)


def charts() -> dict[str, str]:
    """Return the module of each chart that extensions add, by the name of the chart."""
    return _joined("chart", lambda extension: extension.charts)


def frames() -> dict[str, AddedFrame]:
    """Return each frame that extensions add, by its name."""
    return _joined("frame", lambda extension: extension.frames)


def tables() -> dict[str, AddedTable]:
    """Return each table of tournament.toml that extensions add, by its name."""
    return _joined("table", lambda extension: extension.tables)


def seats() -> tuple[str, ...]:
    """Return the path of each kind of seat that extensions add."""
    paths: list[str] = []
    for _, extension in every():
        paths += extension.seats
    return tuple(paths)


def audiences() -> tuple[str, ...]:
    """Return the path of each observer of runs that extensions add."""
    paths: list[str] = []
    for _, extension in every():
        paths += extension.audiences
    return tuple(paths)


def starters() -> tuple[str, ...]:
    """Return the path of each starter kit that extensions add."""
    paths: list[str] = []
    for _, extension in every():
        paths += extension.starters
    return tuple(paths)


def wrappers() -> tuple[str, ...]:
    """Return the path of what extensions put around seats."""
    paths: list[str] = []
    for _, extension in every():
        paths += extension.wrappers
    return tuple(paths)


def bridges() -> dict[str, AddedBridge]:
    """Return each bridge that extensions add, by its name."""
    return _joined("bridge", lambda extension: extension.bridges)


def file_beside(path: str) -> Path:
    """Return what a path `package:name` names: a file or folder beside that of the package."""
    package, _, name = path.partition(":")
    file = str(import_module(package).__file__)
    return Path(file).parent / name


def services() -> dict[str, str]:
    """Return the path of each service that extensions add, by its name."""
    return _joined("service", lambda extension: extension.services)


def sections() -> dict[str, AddedSection]:
    """Return each section below the leaderboard that extensions add, by its name."""
    return _joined("section", lambda extension: extension.sections)


def keys() -> dict[str, dict[str, str]]:
    """Return the keys that extensions add to tables of the core.

    They are by table, then by extension: the path of a class.
    """
    keys_by_table: dict[str, dict[str, str]] = {}
    for name, extension in every():
        for table, path in extension.keys.items():
            path_by_extension = keys_by_table.setdefault(table, {})
            path_by_extension[name] = path
    return keys_by_table


def lanes() -> tuple[AddedLanes, ...]:
    """Return the lanes elsewhere that extensions add."""
    all_lanes: list[AddedLanes] = []
    for _, extension in every():
        all_lanes += extension.lanes
    return tuple(all_lanes)


def _joined(
    kind: str,
    declared_in: Callable[[Extension], Mapping[str, T]],
) -> dict[str, T]:
    """Join what all extensions declare; ArenaError where two of them declare one name."""
    joined: dict[str, T] = {}
    for extension_name, extension in every():
        for name, value in declared_in(extension).items():
            if name in joined:
                raise ArenaError(
                    f"extension {extension_name}: another one has a {kind} {name!r} already; "
                    "uninstall its package, or have it renamed"
                )
            joined[name] = value
    return joined
