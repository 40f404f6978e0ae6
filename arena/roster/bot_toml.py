"""bot.toml -> what it says: how a bot is started, what it plays, what it limits itself to.

Strict: every key is known, and a mistake is one line that names the file and the key.
"""

import math
import os
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, did_you_mean
from arena.game import Role
from arena.match import Limits
from arena.roster.sizes import bytes_of
from arena.sandbox.door import PYTHON
from arena.sandbox.toolchain import public

RUN_PYTHON = (PYTHON, "-s", "-B", "-u")
"""No user site, no byte code beside the bot, no buffer to flush."""
KEYS = ("command", "build", "language", "author", "games", "roles", "limits", "warm", "threads")
SIZES = ("memory", "scratch", "output", "stderr")
COUNTS = ("processes", "files", "open_files")
LIMITS = (*SIZES, *COUNTS, "cpu")
SHELL = frozenset({"&&", "||", ";", "|", ">", ">>", "<", "&"})
COMMAND_LIMIT = 32 * 1024  # characters: it must fit into one message to the spawner


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a bot.toml says."""

    command: tuple[str, ...]
    build: tuple[str, ...] = ()
    """The words that make it runnable; `()` = it is."""
    language: str = ""
    author: str = ""
    games: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    limits: Limits | None = None
    warm: bool = True
    threads: int = 1


def read(where: Path) -> Said:
    """The bot.toml at this path; ArenaError for any mistake in it, FileNotFoundError when there is none."""
    if where.exists() and not where.is_file():
        raise ArenaError(f"{where}: is not a file; write a bot.toml with a `command`")
    try:
        table = tomllib.loads(where.read_text("utf-8"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:  # what is no TOML, no text, or nested to break the reader
        raise ArenaError(f"{where}: {error}") from error
    _only(table, KEYS, where)
    if "command" not in table:
        raise ArenaError(f'{where}: command: missing; for example command = "python bot.py"')
    command = words(table["command"], where)
    build = _own(words(table["build"], where, "build"), where, "build") if "build" in table else ()
    if shell := next((word for word in build if word in SHELL), None):
        raise ArenaError(f"{where}: build: {shell!r} wants a shell: put the steps into a script, build = 'sh build.sh'")
    if not isinstance(table.get("warm", True), bool):
        raise ArenaError(f"{where}: warm: expected true or false, not {table['warm']!r}")
    return Said(
        command=_own(command, where, "command"),
        build=build,
        warm=table.get("warm", True),
        threads=_positive(table.get("threads", 1), int, f"{where}: threads"),
        limits=_limits(table.get("limits"), where),
        language=_text(table, "language", where),
        author=_text(table, "author", where),
        games=_names(table, "games", where),
        roles=_names(table, "roles", where),
    )


def words(command: object, where: object, key: str = "command") -> tuple[str, ...]:
    """The words of a command; `python` is the interpreter that runs arena."""
    if isinstance(command, str):
        try:
            found = shlex.split(command)
        except ValueError as error:
            raise ArenaError(f"{where}: {key}: {str(error).lower()}: {command!r}; close the quotation") from error
    elif isinstance(command, list | tuple) and all(isinstance(word, str) for word in command):
        found = list(command)
    else:
        raise ArenaError(f"{where}: {key}: expected a text or a list of words, not {command!r}")
    if sum(map(len, found)) > COMMAND_LIMIT:
        raise ArenaError(f"{where}: {key}: longer than {COMMAND_LIMIT} characters; put the rest into a file")
    if not found or not found[0] or "\0" in "".join(found):
        raise ArenaError(f"{where}: {key}: it is empty, or has a NUL in it; write how the bot is started")
    return (*RUN_PYTHON, *found[1:]) if found[0] in {"python", "python3"} else tuple(found)


def _own(command: tuple[str, ...], where: Path, key: str) -> tuple[str, ...]:
    """The command of a stranger: it may name its own files and the system's programs, and no file of the organiser's.

    What a command names in full is put in reach of the bot, so that a tournament.toml can say where a program stands.
    """
    for word in command:
        if word.startswith("/") and not public(os.path.normpath(word)):
            raise ArenaError(f"{where}: {key}: {word!r} is outside the bot's folder; name a file by its path within it")
    return command


def _text(table: Mapping[str, Any], key: str, where: Path) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise ArenaError(f"{where}: {key}: expected a text, not {value!r}")
    return value


def _names(table: Mapping[str, Any], key: str, where: Path) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ArenaError(f"{where}: {key}: expected a list of names, not {value!r}")
    return tuple(value)


def _limits(table: object, where: Path) -> Limits | None:
    """Limits of a bot's own; None for what it does not tighten."""
    if table is None:
        return None
    if not isinstance(table, dict):
        raise ArenaError(f"{where}: limits: expected a table, not {table!r}")
    _only(table, LIMITS, f"{where}: limits")
    given: dict[str, Any] = dict.fromkeys(LIMITS)
    for key, value in table.items():
        given[key] = _limit(key, value, f"{where}: limits.{key}")
    return Limits(**given)


def _limit(key: str, value: object, where: str) -> Any:
    try:
        value = bytes_of(value) if key in SIZES and isinstance(value, str) else value
    except ValueError as error:
        raise ArenaError(f"{where}: {error}") from error
    return _positive(value, (int, float) if key == "cpu" else int, where)


def _positive(value: Any, kind: Any, where: str) -> Any:
    if isinstance(value, kind) and not isinstance(value, bool) and 0 < value < math.inf:
        return value
    raise ArenaError(f"{where}: expected a {'whole ' if kind is int else ''}number above 0, not {value!r}")


def _only(table: Mapping[str, Any], known: tuple[str, ...], where: object) -> None:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
            raise ArenaError(f"{where}: {ascii(key)[1:-1]}: unknown key; {hint}")
