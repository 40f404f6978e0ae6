"""Bots on disk -> Bot values: what a bot is, what it is called, what its files hash to.

A bot is a bare file with a known ending, an executable, a folder with `bot.toml`, or a command. It is read here, never
run.
"""

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from arena.errors import ArenaError
from arena.match import Bot
from arena.roster import bot_toml, hiding
from arena.roster.bot_toml import Said
from arena.roster.files import digest_of, files_of, refuse_link, shown
from arena.roster.sizes import bytes_of

__all__ = ["Said", "bytes_of", "checked", "from_command", "from_path", "gather", "said_of", "unique"]

ENDINGS = {".py": bot_toml.RUN_PYTHON, ".js": ("node",), ".sh": ("bash",), ".pl": ("perl",), ".rb": ("ruby",)}
"""How a bare file is run, by its ending."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
README = "README.md"
SKIP = "to have it skipped, begin its name with _"


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
        return _from_folder(path, checked(name or path.absolute().name, path))
    if not path.is_file():
        raise ArenaError(f"{shown(path)}: there is no such bot; name a file, or a folder with a bot.toml")
    if path.suffix in ENDINGS:
        command = (*ENDINGS[path.suffix], path.name)
    elif os.access(path, os.X_OK):
        command = (f"./{path.name}",)
    else:
        raise ArenaError(f"{shown(path)}: not a bot: neither executable nor one of {', '.join(ENDINGS)}; {SKIP}")
    refuse_link(path, path.parent.resolve())
    hiding.refuse(command, [(path.name, path)])
    return Bot(
        name=checked(name or path.stem, path),
        command=command,
        digest=digest_of(command, [(path.name, path)]),
        files=str(path.absolute()),  # not resolved: the command has the name of the link
    )


def from_command(name: str, command: str | Iterable[str], workspace: Path) -> Bot:
    """A bot that is only a command; words of it that are files of the workspace are its files."""
    words = bot_toml.words(command, f"bot {name}")
    near = [word for word in words if not Path(word).is_absolute() and (workspace / word).is_file()]
    return Bot(
        name=checked(name, "tournament.toml"),
        command=tuple(str((workspace / word).absolute()) if word in near else word for word in words),
        digest=digest_of(words, [(word, workspace / word) for word in near]),
    )


def said_of(bot: Bot) -> Said:
    """What the bot.toml of a bot says; its command alone where it has none. ArenaError for a mistake in it."""
    where = Path(bot.files or "") / "bot.toml"
    return bot_toml.read(where) if bot.files and where.is_file() else Said(command=bot.command)


def checked(name: str, where: object) -> str:
    """The name of a bot, if it may be one."""
    if not NAME.fullmatch(name) or name.startswith((".", "-")):
        raise ArenaError(f"{shown(where)}: {name!r} cannot be a bot's name: use up to 40 letters, digits and . _ -")
    return name


def _from_folder(folder: Path, name: str) -> Bot:
    try:
        said = bot_toml.read(folder / "bot.toml")
    except FileNotFoundError as error:
        raise ArenaError(f"{folder}: not a bot: it has no bot.toml; write one with a `command`, or {SKIP}") from error
    files = tuple(files_of(folder))
    hiding.refuse(said.command, files)
    return Bot(
        name=name,
        command=said.command,
        digest=digest_of(said.command, files),
        files=str(folder.absolute()),
        games=said.games,
        roles=said.roles,
        limits=said.limits,
        warm=said.warm,
        threads=said.threads,
    )
