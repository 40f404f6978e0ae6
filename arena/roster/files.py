"""The files of a bot: which they are, and what they hash to. They are read, never run."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.errors import ArenaError
from arena.sandbox.folder import LEFT_OUT as LEFT_OUT  # and whoever reads bots finds it here


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a bot with its path within the folder; a link that leaves it is refused."""
    home = folder.resolve()
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted([*names, *(one for one in folders if (Path(root) / one).is_symlink())]):
            path = Path(root) / name
            refuse_link(path, home)
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path
            elif not path.is_dir() and not path.is_symlink():
                raise ArenaError(f"{shown(path)}: is neither a file nor a folder; take it out of the bot")


def refuse_link(path: Path, home: Path) -> None:
    """A link may lead to a file of the same bot only: what is elsewhere is not the bot's to read."""
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(home):  # which bears links in a circle
        raise ArenaError(f"{shown(path)}: this link leaves the bot's folder; copy the file instead")


def digest_of(command: tuple[str, ...], files: Iterable[tuple[str, Path]]) -> str:
    """16 hex digits over the command and name, mode and bytes of each file; no absolute path is in it."""
    state = hashlib.sha256("\0".join(command).encode("utf-8", "surrogateescape"))
    for name, path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ArenaError(f"{shown(path)}: cannot be read: {error.strerror}") from error
        executable = "x" if os.access(path, os.X_OK) else "-"
        state.update(f"\0{name}\0{executable}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
    return state.hexdigest()[:16]


def shown(path: object) -> str:
    """A path for a message; who submits a bot names its files, and a terminal must not obey them."""
    text = str(path)
    return text if text.isprintable() else ascii(text)
