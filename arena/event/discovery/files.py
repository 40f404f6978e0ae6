"""The files of a bot, and their digest. They are read, never run."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.errors import ArenaError
from arena.sandbox.folder import LEFT_OUT as LEFT_OUT  # other modules that read bots import it from here

PART_BYTES = 1 << 20
DIGEST = re.compile("[0-9a-f]+")
"""What `digest_of` returns. Only such a text may become a part of a path: a digest from a stranger may be anything."""


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file of a bot with its path within the folder; ArenaError for a link that leaves the folder."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted([*names, *(name for name in folders if (Path(root) / name).is_symlink())]):
            path = Path(root) / name
            refuse_link(path, folder)
            if os.path.isfile(path):  # noqa: PTH113 (pathlib raises for a link to a name that is too long)
                yield path.relative_to(folder).as_posix(), path
            elif not path.is_symlink() and not path.is_dir():
                raise ArenaError(f"{shown(path)}: is neither a file nor a folder; take it out of the bot")


def refuse_link(path: Path, home: Path) -> None:
    """Raise ArenaError for a link that leaves its bot: a bot may not read files of others."""
    # realpath survives link circles
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home)):
        raise ArenaError(f"{shown(path)}: this link leaves the bot's folder; copy the file instead")


def digest_of(command: tuple[str, ...], files: Iterable[tuple[str, Path]], length: int = 16) -> str:
    """Return hex digits over the command and the name, mode and bytes of each file; no absolute path is in them."""
    state = hashlib.sha256("\0".join(command).encode("utf-8", "surrogateescape"))
    for name, path in files:
        executable = "x" if os.access(path, os.X_OK) else "-"
        try:
            with path.open("rb") as file:
                left = os.fstat(file.fileno()).st_size
                state.update(f"\0{name}\0{executable}\0{left}\0".encode("utf-8", "surrogateescape"))
                while part := file.read(PART_BYTES):  # a bot of a stranger's results may be larger than the memory
                    state.update(part)
                    left -= len(part)
        except OSError as error:
            raise ArenaError(f"{shown(path)}: cannot be read: {error.strerror}") from error
        if left:
            raise ArenaError(f"{shown(path)}: was edited while it was read; run the same command again")
    return state.hexdigest()[:length]


def shown(path: object) -> str:
    """Return a path for a message. Authors name the files of their bots, and a terminal must not obey such a name."""
    text = str(path)
    return text if text.isprintable() else ascii(text)
