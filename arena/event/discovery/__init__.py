"""Bots on disk -> Bot values: which files are bots, their names, and the digests of their files.

A bot is a bare file with a known ending, an executable, a folder with `bot.toml`, or a command.
This module reads bots and never runs them.
"""

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError, FileError, FilesError
from arena.event.discovery import bridged, names, notes, programs
from arena.event.discovery.files import (
    LEFT_OUT,
    MAC_FORK,
    digest_of,
    files_of,
    folder_digest,
    left_out,
    refuse_link,
)
from arena.event.discovery.files import shown as shown
from arena.event.discovery.programs import BotProgram
from arena.event.discovery.programs import begins as begins
from arena.event.discovery.programs import is_source as is_source
from arena.results.folders import TOURNAMENT_FILE
from arena.values import Bot

if TYPE_CHECKING:
    from arena.event.discovery.bot_toml import BotSettings

NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
README = "README.md"
REMOTE_SOCKET = "_remote.sock"
"""The socket in a folder of bots by which the server of the site asks remote bots."""
SKIP = "to have it skipped, begin its name with _"


def gather(folder: Path) -> tuple[Bot, ...]:
    """Return every bot in a folder, in order of name.

    Names that begin with `.` or `_`, and README.md, are skipped. ArenaError for anything else that
    is no bot: if it were skipped silently, nobody would notice in time.
    """
    if not folder.is_dir():
        raise ArenaError(f"bots: there is no folder {folder}; name a folder of bots, or make one")
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise ArenaError(f"bots: cannot read {folder}: {error.strerror}") from error
    bots = []
    for path in entries:
        if not is_skipped(path.name):
            bot = from_path(path)
            # The display name of the submission counts more than that of the bot.toml.
            display = notes.display_of(folder, bot.name, bot.digest) or bot.display
            bots.append(replace(bot, display=display))
    return unique(bots)


def is_skipped(name: str) -> bool:
    """Return whether a folder of bots may have a file or folder of this name that is no bot.

    It belongs to the organiser, or to arena.
    """
    return name.startswith((".", "_")) or name == README


def unique(bots: Iterable[Bot]) -> tuple[Bot, ...]:
    """Return the bots in order of name; ArenaError for names that are equal but for their case."""
    known: dict[str, Bot] = {}
    for bot in bots:
        first = known.setdefault(bot.name.lower(), bot)
        if first is not bot:
            both_names = repr(first.name)
            if bot.name != first.name:
                both_names += f" and {bot.name!r}"
            parts = _source_of(first)
            other_parts = _source_of(bot)
            if other_parts != parts:
                parts.append(" and ")
                parts += other_parts
            end = "): rename one; case makes no difference"
            raise FilesError(f"two bots are called {both_names} (", *parts, end)
    return tuple(sorted(known.values(), key=lambda bot: bot.name))


def _source_of(bot: Bot) -> list[str | Path]:
    """Return the path of a bot, or the command of a bot without files, as parts of a sentence."""
    if bot.files:
        return [Path(bot.files)]
    parts: list[str | Path] = []
    for word in bot.command:
        if parts:
            parts.append(" ")
        path = Path(word)
        if path.is_absolute():
            parts.append(path)
        else:
            parts.append(shlex.quote(word))
    return parts


def from_path(path: Path, name: str | None = None) -> Bot:
    """Return the bot that is this file or folder; without `name` it is named after its file."""
    if path.is_dir():
        bot_name = name or path.absolute().name
        return _from_folder(path, checked(bot_name, path))
    if not path.is_file():
        raise FileError(path, "there is no such bot; name a file, or a folder with a bot.toml")
    if not is_source(path.name) and not os.access(path, os.X_OK):
        raise FileError(path, programs.why_not(path), SKIP)
    refuse_link(path, path.parent)

    program = programs.program_of(path)
    files = [(path.name, path)]
    programs.refuse_hiding(program.command, files)
    words = (program.command, program.build)
    return Bot(
        name=checked(name or path.stem, path),
        command=program.command,
        digest=digest_of(words, files),
        files=str(path.absolute()),  # not resolved: the command has the name of the link
    )


def _from_folder(folder: Path, name: str) -> Bot:
    """Return the bot in a folder, by its bot.toml or by its program."""
    toml = folder / "bot.toml"
    if toml.exists():
        from arena.event.discovery import bot_toml  # slow to import

        settings = bot_toml.read(toml)
        return _by_settings(folder, name, settings)

    entries = _entries(folder)
    if len(entries) == 1:
        only_entry = entries[0]
        if programs.is_runnable(only_entry) and not left_out(folder):
            return from_path(only_entry, name)
    if not any(map(programs.is_runnable, entries)):
        inner = _inner(folder)
        if inner is not None:
            return _from_folder(inner, name)

    reason = programs.why_none(entries)
    missing = FileError(folder, f"not a bot: {reason}", SKIP)
    program = _program(folder, missing)
    return _with_program(folder, name, program)


def _by_settings(folder: Path, name: str, settings: "BotSettings") -> Bot:
    """Return the bot in a folder whose bot.toml has these settings."""
    program = _program_by_settings(folder, settings)
    bot = _with_program(folder, name, program)
    limits = None
    if settings.limits is not None:
        limits = settings.limits.limits(defaults=False)
    remote = ""
    if settings.remote:
        remote = str(folder.absolute().parent / REMOTE_SOCKET)
    model_alias = ""
    if isinstance(settings.model, str):
        model_alias = settings.model
    return replace(
        bot,
        games=settings.games,
        roles=settings.roles,
        limits=limits,
        warm=settings.warm,
        threads=settings.threads,
        display=names.display(settings.display),
        remote=remote,
        model=bool(settings.model),
        model_alias=model_alias,
    )


def _program_by_settings(folder: Path, settings: "BotSettings") -> BotProgram:
    """Return the program of a folder whose bot.toml has these settings, with its bridge."""
    from arena.event.discovery import bot_toml  # slow to import

    if settings.remote:
        return BotProgram(())
    toml = folder / "bot.toml"
    if settings.command:
        program = BotProgram(settings.filled_command)
    else:
        program = _program(folder, FileError(toml, bot_toml.NO_COMMAND))
    if not settings.bridge:
        return program
    try:
        command = bridged.command(settings.bridge, settings.options, program.command, folder)
    except ValueError as error:
        raise FileError(toml, f"bridge: {error}") from error
    return replace(program, command=command)


def _with_program(folder: Path, name: str, program: BotProgram) -> Bot:
    """Return the bot that is a folder with this program."""
    programs.refuse_hiding(program.command, files_of(folder))
    bridge_words = bridged.digest_words(program.command)
    words = (program.command, program.build, *bridge_words)
    return Bot(
        name=name,
        command=program.command,
        digest=folder_digest(words, folder),
        files=str(folder.absolute()),
    )


def _program(folder: Path, missing: ArenaError) -> BotProgram:
    """Return the program of a folder: the program that is called bot or main, or its only program.

    Raise `missing` if there is none.
    """
    entries = _entries(folder)
    runnable = [path for path in entries if programs.is_runnable(path)]
    mains = [path for path in runnable if programs.is_main(path)]
    candidates = mains or runnable
    # A program that was built may lie beside its source.
    built: list[Path] = []
    for path in candidates:
        if not programs.program_of(path, entries).build:
            built.append(path)
    candidates = built or candidates

    if len(candidates) > 1 and mains:
        both = " and ".join(path.name for path in candidates)
        raise FileError(folder, f"has {both}: write a bot.toml whose `command` starts one of them")
    if len(candidates) == 1:
        return programs.program_of(candidates[0], entries)
    suspects = programs.suspects(entries)
    if suspects and not candidates:
        suspect = suspects[0]
        raise FileError(suspect, programs.why_not(suspect), SKIP)
    raise missing


def _inner(folder: Path) -> Path | None:
    """Return the only folder within a folder that is a bot; None if there is none.

    Folders within bots do not count. ArenaError if there are several bots.
    """
    bots: list[Path] = []
    for root, folders, _ in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in LEFT_OUT and not name.startswith(".")
        )
        path = Path(root)
        if path != folder and is_program(path):
            bots.append(path)
            folders.clear()
    if len(bots) > 1:
        inside = " and ".join(shown(path.relative_to(folder)) for path in bots[:2])
        raise FileError(
            folder, f"has bots in {inside}: move one of them up, and take the other out", SKIP
        )
    if not bots:
        return None
    return bots[0]


def from_command(
    name: str,
    command: str | Iterable[str],
    workspace: Path,
    bridge: str = "",
    options: Mapping[str, bridged.Option] = {},
) -> Bot:
    """Return the bot that a command starts.

    Its files are the words of the command that are files of the workspace. `bridge` is the name of
    the bridge before the command, with its options; empty = none.
    """
    try:
        words = programs.words_of(command)
    except ValueError as error:
        raise ArenaError(f"bot {name}: command: {error}") from error
    if bridge:
        try:
            words = bridged.command(bridge, options, words, None)
        except ValueError as error:
            raise ArenaError(f"bot {name}: bridge: {error}") from error
    files: list[tuple[str, Path]] = []
    absolute_words: list[str] = []
    for word in words:
        path = workspace / word
        if Path(word).is_absolute() or not path.is_file():
            absolute_words.append(word)
        else:
            absolute_words.append(str(path.absolute()))
            files.append((word, path))

    digest_words: object = words
    if bridge:
        digest_words = (words, *bridged.digest_words(words))
    return Bot(
        name=checked(name, Path(TOURNAMENT_FILE)),
        command=tuple(absolute_words),
        digest=digest_of(digest_words, files),
    )


def settings_of(bot: Bot) -> "BotSettings":
    """Return the settings in the bot.toml of a bot; without a bot.toml, only its command.

    ArenaError for a mistake in it.
    """
    from arena.event.discovery import bot_toml  # slow to import

    path = _bot_toml(bot)
    if path is not None:
        return bot_toml.read(path)
    # The command is not checked: an organiser may write any command.
    return bot_toml.BotSettings.model_construct(command=bot.command)


def build_of(bot: Bot) -> tuple[str, ...]:
    """Return the build command of a bot, or `()`; ArenaError for a mistake in its bot.toml."""
    if bot.files is None or bot.remote:
        return ()
    files = Path(bot.files)
    if _bot_toml(bot) is not None:
        settings = settings_of(bot)
        if settings.command:
            return settings.build
    if files.is_dir():
        return _program(files, FileError(files, "not a bot")).build
    return programs.program_of(files).build


def _bot_toml(bot: Bot) -> Path | None:
    """Return the bot.toml of a bot, if it has one."""
    if not bot.files:
        return None
    path = Path(bot.files) / "bot.toml"
    if not path.is_file():
        return None
    return path


def may_be_called(name: str) -> bool:
    """Return whether a bot may have this name, as it is."""
    return NAME.fullmatch(name) is not None and not name.startswith((".", "-"))


def checked(name: str, source: Path) -> str:
    """Return the name if a bot may have it; ArenaError, which names its source, otherwise."""
    if not may_be_called(name):
        words = f"{name!r} cannot be a bot's name: use up to 40 letters, digits and . _ -"
        raise FileError(source, words)
    return name


def is_program(folder: Path) -> bool:
    """Return whether a folder is a bot: it has a bot.toml, or a program called `bot` or `main`."""
    toml = folder / "bot.toml"
    if toml.exists():
        return True
    return any(map(programs.is_main, _entries(folder)))


def _entries(folder: Path) -> list[Path]:
    """Return the files and folders of a bot's folder, in order, without those that are left out."""
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise FileError(folder, f"cannot be read: {error.strerror}") from error
    entries: list[Path] = []
    for path in paths:
        is_left_out = path.name in LEFT_OUT or path.name.startswith(MAC_FORK)
        if not is_left_out:
            entries.append(path)
    return entries
