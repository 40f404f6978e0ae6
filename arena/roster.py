"""Bots on disk -> Bot values: what a bot is, what it is called, what its files hash to.

A bot is a bare file with a known ending, an executable, a folder with `bot.toml`, or a command. It is read here, never
run.
"""

import hashlib
import math
import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.match import Bot, Limits
from arena.sandbox.door import PYTHON

ENDINGS = {".py": (PYTHON, "-s", "-B", "-u"), ".js": ("node",), ".sh": ("bash",), ".pl": ("perl",), ".rb": ("ruby",)}
"""How a bare file is run, by its ending. Python: no user site, no byte code beside the bot, no buffer to flush."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
README = "README.md"
SKIP = "to have it skipped, begin its name with _"
KEYS = ("command", "build", "language", "author", "games", "roles", "limits")
LIMITS = ("memory", "cpu", "processes")
UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def gather(folder: Path) -> tuple[Bot, ...]:
    """Every bot in a folder, in order of name; names that begin with `.` or `_`, and README.md, are skipped.

    ArenaError for anything else that is no bot: a bot that is left out in silence would be missed too late.
    """
    if not folder.is_dir():
        raise ArenaError(f"bots: there is no folder {folder}; name a folder of bots, or make one")
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise ArenaError(f"bots: cannot read {folder}: {error.strerror}") from error
    return unique(from_path(path) for path in entries if not path.name.startswith((".", "_")) and path.name != README)


def unique(bots: Iterable[Bot]) -> tuple[Bot, ...]:
    """The bots in order of name; ArenaError when two have names that differ in case at most."""
    known: dict[str, Bot] = {}
    for bot in bots:
        other = known.setdefault(bot.name.lower(), bot)
        if other is not bot:
            names = " and ".join(dict.fromkeys((repr(other.name), repr(bot.name))))
            both = " and ".join(dict.fromkeys(str(one.files or shlex.join(one.command)) for one in (other, bot)))
            raise ArenaError(f"two bots are called {names} ({both}): rename one; case makes no difference")
    return tuple(sorted(known.values(), key=lambda bot: bot.name))


def from_path(path: Path, name: str | None = None) -> Bot:
    """The bot that a file or a folder is; it is called after its file when no name is given."""
    if path.is_dir():
        return _from_folder(path, checked(name or path.name, path))
    if not path.is_file():
        raise ArenaError(f"{path}: there is no such bot; name a file, or a folder with a bot.toml")
    _refuse_link(path, path.parent.resolve())
    if path.suffix in ENDINGS:
        command, stem = (*ENDINGS[path.suffix], path.name), path.stem
    elif os.access(path, os.X_OK):
        command, stem = (f"./{path.name}",), path.stem
    else:
        raise ArenaError(f"{path}: not a bot: neither executable nor one of {', '.join(ENDINGS)}; {SKIP}")
    return Bot(
        name=checked(name or stem, path),
        command=command,
        digest=_digest(command, [(path.name, path)]),
        files=str(path.absolute()),  # not resolved: the command has the name of the link
    )


def from_command(name: str, command: str | Iterable[str], workspace: Path) -> Bot:
    """A bot that is only a command; words of it that are files of the workspace are its files."""
    words = _words(command, f"bot {name}")
    files = [
        (word, workspace / word) for word in words if (workspace / word).is_file() and not Path(word).is_absolute()
    ]
    known = dict(files)
    return Bot(
        name=checked(name, "tournament.toml"),
        command=tuple(str(known[word].resolve()) if word in known else word for word in words),
        digest=_digest(words, files),
    )


def checked(name: str, where: object) -> str:
    """The name of a bot, if it may be one."""
    if not NAME.fullmatch(name) or name.startswith((".", "-")):
        raise ArenaError(f"{where}: {name!r} cannot be a bot's name: use up to 40 letters, digits and . _ -")
    return name


def bytes_of(size: str | int) -> int:
    """A size such as `256 MB` or `1 GiB` in bytes; ValueError when it is none."""
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", size)
    if match is None or match[2].lower() not in UNITS:
        raise ValueError(f"expected a size such as '256 MB', not {size!r}")
    return int(float(match[1]) * UNITS[match[2].lower()])


def _from_folder(folder: Path, name: str) -> Bot:
    where = folder / "bot.toml"
    try:
        table = tomllib.loads(where.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ArenaError(f"{folder}: not a bot: it has no bot.toml; write one with a `command`, or {SKIP}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ArenaError(f"{where}: {error}") from error
    _only(table, KEYS, where)
    if "command" not in table:
        raise ArenaError(f'{where}: command: missing; for example command = "python bot.py"')
    command = _words(table["command"], where)
    if "build" in table and "/" in command[0] and not (folder / command[0]).is_file():
        raise ArenaError(f"{where}: command: there is no {command[0]} yet; build it first: {table['build']}")
    return Bot(
        name=name,
        command=command,
        digest=_digest(command, list(_files(folder))),
        files=str(folder.resolve()),
        games=_strings(table, "games", where),
        roles=_strings(table, "roles", where),
        limits=_limits(table.get("limits"), where),
    )


def _words(command: object, where: object) -> tuple[str, ...]:
    """The words of a command; `python` is the interpreter that runs arena."""
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ArenaError(f"{where}: command: {str(error).lower()}: {command!r}; close the quotation") from error
    elif isinstance(command, list | tuple) and all(isinstance(word, str) for word in command):
        words = list(command)
    else:
        raise ArenaError(f"{where}: command: expected a text or a list of words, not {command!r}")
    if not words or not words[0] or "\0" in "".join(words):
        raise ArenaError(f"{where}: command: it is empty, or has a NUL in it; write how the bot is started")
    return (*ENDINGS[".py"], *words[1:]) if words[0] in {"python", "python3"} else tuple(words)


def _strings(table: dict[str, Any], key: str, where: Path) -> tuple[str, ...]:
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
    memory, cpu, processes = (table.get(key) for key in LIMITS)
    try:
        if isinstance(memory, str):
            memory = bytes_of(memory)
    except ValueError as error:
        raise ArenaError(f"{where}: limits.memory: {error}") from error
    return Limits(
        memory=_positive(memory, int, f"{where}: limits.memory"),
        cpu=_positive(cpu, (int, float), f"{where}: limits.cpu"),
        processes=_positive(processes, int, f"{where}: limits.processes"),
    )


def _positive(value: Any, kind: Any, where: str) -> Any:
    """The number, or None where there is none."""
    sound = isinstance(value, kind) and not isinstance(value, bool) and 0 < value < math.inf
    if value is None or sound:
        return value
    raise ArenaError(f"{where}: expected a {'whole ' if kind is int else ''}number above 0, not {value!r}")


def _only(table: dict[str, Any], known: tuple[str, ...], where: object) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            raise ArenaError(f"{where}: {key}: unknown key{f'; did you mean {near[0]!r}?' if near else ''}")


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a bot with its path within the folder; a link that leaves it is refused."""
    home = folder.resolve()
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in {"__pycache__", ".git"})
        for name in sorted([*names, *(one for one in folders if (Path(root) / one).is_symlink())]):
            path = Path(root) / name
            _refuse_link(path, home)
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path


def _refuse_link(path: Path, home: Path) -> None:
    """A link may lead to a file of the same bot only: what is elsewhere is not the bot's to read."""
    if path.is_symlink() and not path.resolve().is_relative_to(home):
        raise ArenaError(f"{path}: this link leaves the bot's folder; copy the file instead")


def _digest(command: tuple[str, ...], files: list[tuple[str, Path]]) -> str:
    """16 hex digits over the command and name, mode and bytes of each file; no absolute path is in it."""
    state = hashlib.sha256("\0".join(command).encode())
    for name, path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
        executable = "x" if os.access(path, os.X_OK) else "-"
        state.update(f"\0{name}\0{executable}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
    return state.hexdigest()[:16]
