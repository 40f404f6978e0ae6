"""The files of a bot, and their digest. They are read, never run."""

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
from arena.sandbox.folder import (
    LEFT_OUT as LEFT_OUT,
)  # other modules that read bots import it from here

NOTED = {*ENVIRONMENTS, COMMANDS_OF_NPM}
"""Folders of LEFT_OUT that a bot's author may count on, so arena says that they are left out."""
MAC_FORK = "._"
"""The beginning of the names of files that a Mac puts beside others, on disks and in archives that are not its own."""
PART_BYTES = 1 << 20
DIGEST = re.compile("[0-9a-f]+")
"""What `digest_of` returns. Only such a text may become a part of a path: a digest from a stranger may be anything."""


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file of a bot with its path within the folder; ArenaError for a link that leaves the folder."""
    for name, path in _entries_of(folder):
        if os.path.isfile(path):  # noqa: PTH113 (pathlib raises for a link to a name that is too long)
            yield name, path


def _entries_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file, link and folder of a bot with its path within the folder, as `files_of` does."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted([*names, *folders]):
            path = Path(root) / name
            refuse_link(path, folder)
            if not (path.is_symlink() or path.is_dir() or path.is_file()):
                raise FileError(path, "is neither a file nor a folder; take it out of the bot")
            yield path.relative_to(folder).as_posix(), path


def left_out(folder: Path) -> list[str]:
    """Return the paths within a bot's folder of what is no part of it, though its author may count on it."""
    found = []
    for root, folders, _ in os.walk(folder):
        found += [
            (Path(root) / name).relative_to(folder).as_posix() for name in folders if name in NOTED
        ]
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
    return sorted(found)


def left_out_words(paths: Iterable[str]) -> str:
    """Return the end of a sentence that tells an author about the paths of `left_out`."""
    return f"left out, as no part of a bot: {', '.join(map(shown, paths))}"


def refuse_link(path: Path, home: Path) -> None:
    """Raise ArenaError for a link that leaves its bot: a bot may not read files of others."""
    # realpath survives link circles
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(
        os.path.realpath(home)
    ):
        raise leaves(path)


def leaves(path: PurePath) -> ArenaError:
    """Return the refusal of a link that leaves its bot."""
    if path.parent.name == "bin" and path.name.startswith("python"):
        return FileError(
            path.parent.parent,
            "is a virtual environment of Python, which works only on the machine that made it: take it out of the bot, "
            "or call it .venv, so that arena leaves it out",
        )
    return FileError(path, "this link leaves the bot's folder; copy the file instead")


def digest_of(words: object, files: Iterable[tuple[str, Path]], length: int = 16) -> str:
    """Return hex digits over words and the name, right to run and bytes of each file; no absolute path is in them.

    `words` are plain values, such as a command. A link counts as the file to which it leads.
    """
    return identity.digest_of(
        words, [(name, *_content(path)) for name, path in files], length=length
    )


def folder_digest(words: object, folder: Path, length: int = 16) -> str:
    """Return hex digits over words and all that a bot can see of its folder: folders, links and files, as `digest_of`.

    An empty folder and the text of a link are part of them, because a bot can read something from
    both.
    """
    entries: list[tuple[str, ...]] = []
    for name, path in _entries_of(folder):
        if path.is_symlink():
            entries.append((name, "link", os.readlink(path)))  # noqa: PTH115 (pathlib would tidy the text up)
        elif path.is_dir():
            entries.append((name, "folder"))
        else:
            entries.append((name, *_content(path)))
    return identity.digest_of(words, entries, length=length)


def _content(path: Path) -> tuple[str, str]:
    """Return whether somebody may run a file, as a word, and the hash of its bytes."""
    state = hashlib.sha256()
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            left = status.st_size
            while part := file.read(
                PART_BYTES
            ):  # a bot of a stranger's results may be larger than the memory
                state.update(part)
                left -= len(part)
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    if left:
        raise FileError(path, "was edited while it was read; run the same command again")
    executable = status.st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return "program" if executable else "file", state.hexdigest()
