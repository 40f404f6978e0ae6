"""The files of a bot, and their digest. This module reads them and never runs them."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from arena import identity
from arena.errors import ArenaError, FileError
from arena.errors import shown as shown
from arena.sandbox.folder import COMMANDS_OF_NPM, ENVIRONMENTS

# Other modules that read bots import it from here.
from arena.sandbox.folder import LEFT_OUT as LEFT_OUT

NOTED = {COMMANDS_OF_NPM}.union(ENVIRONMENTS)
"""Folders of LEFT_OUT that an author may rely on, so arena says that they are left out."""
MAC_FORK = "._"
"""The beginning of the names of files that a Mac adds on other disks and in archives."""
PART_BYTES = 1 << 20
DIGEST = re.compile("[0-9a-f]+")
"""The pattern of a digest of `digest_of`. Only a text of this pattern may become a part of a path:
a digest from a stranger may be anything."""


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file of a bot with its path within the folder.

    ArenaError for a link that leaves the folder.
    """
    for name, path in _entries_of(folder):
        # pathlib raises for a link to a name that is too long.
        if os.path.isfile(path):  # noqa: PTH113
            yield name, path


def _entries_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file, link and folder of a bot, in the way of `files_of`."""
    for root, folders, names in os.walk(folder):
        folders[:] = _belonging(folders)
        for name in sorted(names + folders):
            path = Path(root) / name
            refuse_link(path, folder)
            is_known = path.is_symlink() or path.is_dir() or path.is_file()
            if not is_known:
                raise FileError(path, "is neither a file nor a folder; take it out of the bot")

            path_within_bot = path.relative_to(folder)
            yield path_within_bot.as_posix(), path


def _belonging(folders: Iterable[str]) -> list[str]:
    """Return those of these folders that belong to a bot, in order."""
    return sorted(name for name in folders if name not in LEFT_OUT)


def left_out(folder: Path) -> list[str]:
    """Return the folders that are no part of a bot, though its author may rely on them.

    They are paths within the bot's folder.
    """
    paths = []
    for root, folders, _ in os.walk(folder):
        for name in folders:
            if name in NOTED:
                path = Path(root, name).relative_to(folder)
                paths.append(path.as_posix())
        folders[:] = _belonging(folders)
    return sorted(paths)


def left_out_words(paths: Iterable[str]) -> str:
    """Return the end of a sentence for an author about the paths of `left_out`."""
    names = ", ".join(map(shown, paths))
    return f"left out, as no part of a bot: {names}"


def refuse_link(path: Path, home: Path) -> None:
    """Raise ArenaError for a link that leaves its bot: a bot may not read files of other bots."""
    if not path.is_symlink():
        return
    target = Path(os.path.realpath(path))  # realpath survives link circles
    real_home = os.path.realpath(home)
    if not target.is_relative_to(real_home):
        raise leaves(path)


def leaves(path: PurePath) -> ArenaError:
    """Return the refusal of a link that leaves its bot."""
    environment = environment_of(path)
    if environment is not None:
        return is_environment(environment)
    return FileError(path, "this link leaves the bot's folder; copy the file instead")


def environment_of(link: PurePath) -> PurePath | None:
    """Return the virtual environment of Python whose link this is, by its name; otherwise None."""
    if link.parent.name == "bin" and link.name.startswith("python"):
        return link.parent.parent
    if link.name == "lib64":
        return link.parent
    return None


def is_environment(folder: PurePath) -> ArenaError:
    """Return the refusal of a virtual environment under a name that arena does not leave out."""
    return FileError(
        folder,
        "is a virtual environment of Python, which works only on the machine that made it: "
        "take it out of the bot, or call it .venv, so that arena leaves it out",
    )


def digest_of(
    words: object,
    files: Iterable[tuple[str, Path]],
    length: int = 16,
) -> str:
    """Return hex digits over words and the name, the right to run and the bytes of each file.

    `words` are plain values, such as a command. A link counts as the file to which it leads. No
    absolute path is part of the digest.
    """
    contents: list[tuple[str, str, str]] = []
    for name, path in files:
        kind, digest = _content(path)
        contents.append((name, kind, digest))
    return identity.digest_of(words, contents, length=length)


def folder_digest(words: object, folder: Path, length: int = 16) -> str:
    """Return hex digits over words and everything that a bot can see of its folder.

    Files count as in `digest_of`. An empty folder and the text of a link count too, because a bot
    can get information from both.
    """
    entries: list[tuple[str, ...]] = []
    for name, path in _entries_of(folder):
        if path.is_symlink():
            text = os.readlink(path)  # noqa: PTH115 (pathlib would change the text)
            entries.append((name, "link", text))
        elif path.is_dir():
            entries.append((name, "folder"))
        else:
            kind, digest = _content(path)
            entries.append((name, kind, digest))
    return identity.digest_of(words, entries, length=length)


def _content(path: Path) -> tuple[str, str]:
    """Return whether anybody may run a file, as a word, and the hash of its bytes."""
    state = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            # It is read in parts: a bot of a stranger's results may be larger than the memory.
            part = file.read(PART_BYTES)
            while part:
                state.update(part)
                size += len(part)
                part = file.read(PART_BYTES)
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    if size != status.st_size:
        raise FileError(path, "was edited while it was read; run the same command again")
    kind = "file"
    if status.st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        kind = "program"
    return kind, state.hexdigest()
