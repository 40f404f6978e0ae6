"""Bots on disk -> Bot values: which files are bots, their names, and the digests of their files.

A bot is a bare file with a known ending, an executable, a folder with `bot.toml`, or a command. It is read here, never
run.
"""

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.event.discovery import commands, hiding, names, notes
from arena.event.discovery.files import LEFT_OUT, digest_of, files_of, refuse_link, shown
from arena.values import Bot

if TYPE_CHECKING:
    from arena.event.discovery.bot_toml import BotSettings

__all__ = [
    "build_of",
    "checked",
    "from_command",
    "from_path",
    "gather",
    "is_program",
    "is_source",
    "may_be_called",
    "may_begin",
    "settings_of",
    "shown",
    "unique",
]

ENDINGS = {".py": commands.RUN_PYTHON, ".js": ("node",), ".sh": ("bash",), ".pl": ("perl",), ".rb": ("ruby",)}
"""The command that runs a bare file, by its ending."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
MAIN = ("bot", "main")
"""The names, without ending, by which the program of a folder without a bot.toml is recognised."""
README = "README.md"
SKIP = "to have it skipped, begin its name with _"


def gather(folder: Path) -> tuple[Bot, ...]:
    """Return every bot in a folder, in order of name; names that begin with `.` or `_`, and README.md, are skipped.

    ArenaError for anything else that is no bot: nobody would notice in time that a bot was left out silently.
    """
    if not folder.is_dir():
        raise ArenaError(f"bots: there is no folder {folder}; name a folder of bots, or make one")
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise ArenaError(f"bots: cannot read {folder}: {error.strerror}") from error
    bots = []
    for path in entries:
        if not path.name.startswith((".", "_")) and path.name != README:
            bot = from_path(path)
            # The name that came with the submission counts more than that of the bot.toml.
            bots.append(replace(bot, display=notes.display_of(folder, bot.name, bot.digest) or bot.display))
    return unique(bots)


def unique(bots: Iterable[Bot]) -> tuple[Bot, ...]:
    """Return the bots in order of name; ArenaError when two names are equal, or differ in case only."""
    known: dict[str, Bot] = {}
    for bot in bots:
        first = known.setdefault(bot.name.lower(), bot)
        if first is not bot:
            both_names = " and ".join(dict.fromkeys((repr(first.name), repr(bot.name))))
            both_paths = " and ".join(dict.fromkeys(str(bot.files or shlex.join(bot.command)) for bot in (first, bot)))
            raise ArenaError(f"two bots are called {both_names} ({both_paths}): rename one; case makes no difference")
    return tuple(sorted(known.values(), key=lambda bot: bot.name))


def from_path(path: Path, name: str | None = None) -> Bot:
    """Return the bot at this path, a file or a folder; without `name` it is called after its file."""
    if path.is_dir():
        return _from_folder(path, checked(name or path.absolute().name, path))
    if not path.is_file():
        raise ArenaError(f"{shown(path)}: there is no such bot; name a file, or a folder with a bot.toml")
    if path.suffix not in ENDINGS and not os.access(path, os.X_OK):
        raise ArenaError(f"{shown(path)}: not a bot: neither executable nor one of {', '.join(ENDINGS)}; {SKIP}")
    refuse_link(path, path.parent)
    command, files = _command_of(path), [(path.name, path)]
    hiding.refuse(command, files)
    return Bot(
        name=checked(name or path.stem, path),
        command=command,
        digest=digest_of(command, files),
        files=str(path.absolute()),  # not resolved: the command has the name of the link
    )


def _from_folder(folder: Path, name: str) -> Bot:
    """Return the bot in a folder: as its bot.toml says, or its only program, or the program that is called bot."""
    files = str(folder.absolute())
    if (folder / "bot.toml").exists():
        from arena.event.discovery import bot_toml  # slow to import

        settings = bot_toml.read(folder / "bot.toml")
        bot = Bot(
            name=name,
            command=settings.command,
            digest="",
            files=files,
            games=settings.games,
            roles=settings.roles,
            limits=None if settings.limits is None else settings.limits.limits(defaults=False),
            warm=settings.warm,
            threads=settings.threads,
            display=names.display(settings.display),
        )
    else:
        entries = _entries(folder)
        if len(entries) == 1 and _is_runnable(entries[0]):
            return from_path(entries[0], name)
        mains = [path for path in entries if _is_main(path)]
        if not mains:
            hint = f"write one with a `command`, or call its program bot.py or main.py; {SKIP}"
            raise ArenaError(f"{shown(folder)}: not a bot: it has no bot.toml; {hint}")
        if len(mains) > 1:
            both = " and ".join(path.name for path in mains)
            raise ArenaError(f"{shown(folder)}: has {both}: write a bot.toml whose `command` starts one of them")
        bot = Bot(name=name, command=_command_of(mains[0]), digest="", files=files)
    content = tuple(files_of(folder))
    hiding.refuse(bot.command, content)
    return replace(bot, digest=digest_of(bot.command, content))


def from_command(name: str, command: str | Iterable[str], workspace: Path) -> Bot:
    """Return the bot that a command starts; words of it that are files of the workspace are its files."""
    try:
        words = commands.split(command)
    except ValueError as error:
        raise ArenaError(f"bot {name}: command: {error}") from error
    files = [
        (word, workspace / word) for word in words if not Path(word).is_absolute() and (workspace / word).is_file()
    ]
    paths = {word: str(path.absolute()) for word, path in files}
    return Bot(
        name=checked(name, "tournament.toml"),
        command=tuple(paths.get(word, word) for word in words),
        digest=digest_of(words, files),
    )


def settings_of(bot: Bot) -> "BotSettings":
    """Return the settings in the bot.toml of a bot, or only its command without one; ArenaError for a mistake in it."""
    from arena.event.discovery import bot_toml  # slow to import

    if (path := _bot_toml(bot)) is not None:
        return bot_toml.read(path)
    return bot_toml.BotSettings.model_construct(command=bot.command)  # not checked: an organiser may write any command


def build_of(bot: Bot) -> tuple[str, ...]:
    """Return the build command of a bot, `()` without one; ArenaError for a mistake in its bot.toml."""
    return () if _bot_toml(bot) is None else settings_of(bot).build  # most have none, and the import is slow


def _bot_toml(bot: Bot) -> Path | None:
    path = Path(bot.files or "") / "bot.toml"
    return path if bot.files and path.is_file() else None


def may_be_called(name: str) -> bool:
    """Return whether a bot may have this name, as it is."""
    return NAME.fullmatch(name) is not None and not name.startswith((".", "-"))


def checked(name: str, source: object) -> str:
    """Return the name if a bot may have it; else ArenaError, which names the source of the name."""
    if not may_be_called(name):
        raise ArenaError(f"{shown(source)}: {name!r} cannot be a bot's name: use up to 40 letters, digits and . _ -")
    return name


def is_program(folder: Path) -> bool:
    """Return whether a folder is a bot: it has a bot.toml, or a program called `bot` or `main`."""
    return (folder / "bot.toml").exists() or any(_is_main(path) for path in _entries(folder))


def may_begin(name: str) -> bool:
    """Return whether a folder with a file of this name is a bot."""
    path = Path(name)
    return name == "bot.toml" or (path.stem.lower() in MAIN and path.suffix in ENDINGS)


def is_source(name: str) -> bool:
    """Return whether a file of this name is a program, by its ending."""
    return Path(name).suffix in ENDINGS


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name not in LEFT_OUT)
    except OSError as error:
        raise ArenaError(f"{shown(folder)}: cannot be read: {error.strerror}") from error


def _is_main(path: Path) -> bool:
    return path.stem.lower() in MAIN and _is_runnable(path)


def _is_runnable(path: Path) -> bool:
    return os.path.isfile(path) and (path.suffix in ENDINGS or (not path.suffix and os.access(path, os.X_OK)))  # noqa: PTH113 (bears long names)


def _command_of(path: Path) -> tuple[str, ...]:
    return (*ENDINGS[path.suffix], path.name) if path.suffix in ENDINGS else (f"./{path.name}",)
