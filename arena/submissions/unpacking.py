"""A stranger's archive, unpacked: zip or tar, by the same measure as a folder that is copied.

No name in it is believed, and nothing but plain files and folders comes out of it.
"""

import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from arena.errors import ArenaError
from arena.roster.files import LEFT_OUT, shown
from arena.submissions.taking import JUNK, Room, too_large

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, struct.error),
    *(EOFError, RuntimeError, ValueError, OverflowError),
)
"""What the readers raise for what is no archive, cut short, or encrypted."""
Member = tuple[str, bool, bool, int, bool, IO[bytes] | None]
"""Name, whether a folder, whether a plain file, size, whether it may be run, its content."""


def unpack(archive: Path, target: Path) -> None:
    """Unpack into `target`, a folder that does not exist; ArenaError, with the reason, for what is refused."""
    target.mkdir()
    room = Room()
    try:
        for member in _zip(archive) if archive.name.lower().endswith(".zip") else _tar(archive):
            _place(member, target, room)
    except (*BROKEN, OSError) as error:
        raise ArenaError(f"it is no archive that can be read ({type(error).__name__}); pack it again") from error


def _place(member: Member, target: Path, room: Room) -> None:
    name, folder, plain, size, executable, content = member
    where = PurePosixPath(name)
    if name.startswith("/") or ".." in where.parts or "\\" in name or "\0" in name:
        raise ArenaError(f"{name!a} leads out of its archive; pack it again, from within the bot's folder")
    if not where.parts or set(where.parts) & (LEFT_OUT | JUNK):
        return
    room.enter(where)
    path = target / where
    if folder:
        path.mkdir(parents=True, exist_ok=True)
    elif not plain or content is None:
        raise ArenaError(f"{shown(where)}: is neither a file nor a folder; take it out of the archive")
    elif size > room.size:
        raise too_large()
    elif path.exists():
        raise ArenaError(f"{shown(where)}: stands twice in the archive; pack it again")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        with content:
            room.pour(content, path, executable=executable)


def _zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as packed:
        for info in packed.infolist():
            mode = info.external_attr >> 16
            kind = mode & 0o170000
            plain = not info.is_dir() and kind in {0, 0o100000}
            content = packed.open(info) if plain else None
            yield info.filename, info.is_dir(), plain, info.file_size, bool(mode & 0o111), content


def _tar(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive) as packed:
        for info in packed:
            content = packed.extractfile(info) if info.isreg() else None
            yield info.name, info.isdir(), info.isreg(), info.size, bool(info.mode & 0o111), content
