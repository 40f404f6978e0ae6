"""Unpack a stranger's archive, zip or tar, within the limits of a folder that is copied.

It trusts no name in the archive, and only plain files and folders come out of it. Python's readers
trust an archive's own figures: they read a header of a gigabyte into memory, and a table of a
million names too. So they run in a process of their own with limits of memory and time, and get a
bounded number of unpacked bytes.
"""

import bz2
import errno
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple, Self

from arena.author.submissions.copy_untrusted import (
    JUNK,
    MOST_BYTES,
    MOST_ENTRIES,
    Allowance,
    check_path,
    too_large,
)
from arena.errors import ArenaError
from arena.event.discovery.files import (
    LEFT_OUT,
    MAC_FORK,
    environment_of,
    is_environment,
    shown,
)
from arena.limited import LimitedError, limited_value

MEMORY_BYTES = 150_000_000
"""The memory that the readers may use beyond that of the process when it begins; `xz -9` needs 65
MB."""
CPU_SECONDS = 20
"""bzip2, the slowest, unpacks 100 MB in 10 s."""
WALL_SECONDS = 120.0
STREAM_BYTES = 2 * MOST_BYTES
"""The unpacked bytes of a tar: a bot, its headers, and the same again for folders that are left
out, such as `.git`."""
HEADER_BYTES = 100_000
"""One extended header of a tar: a name of 4 kB, and some systems add more."""
EXTENSIONS = {b"x", b"g", b"X", b"L", b"K"}
"""The kinds of header that extend the next: those of pax, Solaris and GNU."""
MEMBERS = 10 * MOST_ENTRIES
"""Members of an archive, with those that are left out."""
DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
"""Errors that are no fault of the archive."""
_Readable = BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile


class Member(NamedTuple):
    """A member of an archive."""

    name: str
    is_folder: bool
    is_plain: bool
    """True for a plain file."""
    size: int
    executable: bool
    content: IO[bytes] | None


def unpack(archive: Path, target: Path, *, bots: int = 1) -> list[str]:
    """Unpack into `target`, a folder that does not exist; ArenaError with the reason if refused.

    It may be as large as this number of bots together. Return what was left out though its author
    may count on it.
    """
    work = partial(_unpack, archive, target, bots)
    try:
        return limited_value(
            work,
            memory=MEMORY_BYTES,
            cpu=CPU_SECONDS,
            wall=WALL_SECONDS,
        )
    except LimitedError as error:
        raise ArenaError(f"it {error} to unpack; leave out what the bot does not need") from error


def _unpack(archive: Path, target: Path, bots: int) -> list[str]:
    """Unpack in this process; ArenaError, with the reason, when it is refused."""
    try:
        target.mkdir(0o755)
        allowance = Allowance(bots * MOST_BYTES, bots * MOST_ENTRIES)
        if archive.name.lower().endswith(".zip"):
            members = _zip(archive)
        else:
            members = _tar(archive, bots * STREAM_BYTES)
        for number, member in enumerate(members, 1):
            if number > bots * MEMBERS:
                raise ArenaError(
                    f"it has more than {bots * MEMBERS} entries: leave out what the bot does not "
                    "need"
                )
            _extract(member, target, allowance)
    except (ArenaError, MemoryError):
        raise
    except Exception as error:  # a reader of a hostile archive may raise anything
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            raise ArenaError(f"{target}: cannot be written: {error.strerror}") from error
        raise ArenaError(
            f"it is no archive that can be read ({type(error).__name__}); pack it again"
        ) from error
    return allowance.noted


def _extract(member: Member, target: Path, allowance: Allowance) -> None:
    """Write one member of an archive below `target`; ArenaError when it is refused."""
    name = member.name
    inner = PurePosixPath(name)
    if "\\" in name:
        raise ArenaError(
            f"{name[:200]!a} has a backslash: arena knows / between folders only; pack it again "
            "by the file manager, or by `tar -czf bot.tar.gz FOLDER`"
        )
    if name.startswith("/") or ".." in inner.parts or "\0" in name:
        raise ArenaError(
            f"{name[:200]!a} leads out of its archive; pack it again, from within the bot's folder"
        )
    folders = list(reversed(inner.parents[:-1]))
    """Those above it, the outermost first."""
    for path in [*folders, inner]:
        if path.name in LEFT_OUT | JUNK or path.name.startswith(MAC_FORK):
            allowance.leave_out(path)
            return
    if not inner.parts:
        return
    check_path(inner)

    if member.is_folder:
        folders.append(inner)
    for folder in folders:
        if not (target / folder).is_dir():
            allowance.enter(folder)  # a folder counts like a file
            _refuse_second(target, folder)
            (target / folder).mkdir(0o755)
    if member.is_folder:
        return

    allowance.enter(inner)
    if not member.is_plain or member.content is None:
        environment = environment_of(inner)
        if environment is not None:
            raise is_environment(environment)
        raise ArenaError(
            f"{shown(inner)}: is neither a file nor a folder (a link, perhaps); put the file "
            "itself in its place, and pack it again"
        )
    if member.size > allowance.size:
        raise too_large()
    _refuse_second(target, inner)
    with member.content:
        allowance.pour(member.content, target / inner, executable=member.executable)


def _refuse_second(target: Path, inner: PurePosixPath) -> None:
    if (target / inner).exists():
        raise ArenaError(f"{shown(inner)}: is there twice in the archive; pack it again")


def _zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as packed:
        for info in packed.infolist():
            if info.flag_bits & 1:
                raise ArenaError("it is encrypted; pack it again without a password")
            mode = info.external_attr >> 16
            kind = mode & 0o170000
            is_plain = not info.is_dir() and kind in {0, 0o100000}
            content = None
            if is_plain:
                content = packed.open(info)
            yield Member(
                name=info.filename,
                is_folder=info.is_dir(),
                is_plain=is_plain,
                size=info.file_size,
                executable=bool(mode & 0o111),
                content=content,
            )


def _tar(archive: Path, most_bytes: int) -> Iterator[Member]:
    with _decompressed(archive) as content:
        stream = _Bounded(content, most_bytes)
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Info) as packed:
            for info in packed:
                data = None
                if info.isreg():
                    data = packed.extractfile(info)
                yield Member(
                    name=info.name,
                    is_folder=info.isdir(),
                    is_plain=info.isreg(),
                    size=info.size,
                    executable=bool(info.mode & 0o111),
                    content=data,
                )


class _Info(tarfile.TarInfo):
    """A header of a tar; ArenaError for an extended header that is larger than any name needs."""

    @classmethod
    def frombuf(
        cls,
        buf: bytes | bytearray,
        encoding: str,
        errors: str,
    ) -> Self:
        info = super().frombuf(buf, encoding, errors)
        if info.type in EXTENSIONS and info.size > HEADER_BYTES:
            raise ArenaError(
                "it has a header that is larger than any name needs; pack it again with plain tar"
            )
        return info


def _decompressed(archive: Path) -> _Readable:
    """Open a tar, compressed or not; its first bytes decide, and not its name."""
    with archive.open("rb") as file:
        magic = file.read(6)
    if magic.startswith(b"\x1f\x8b"):
        return gzip.open(archive)
    if magic.startswith(b"BZh"):
        return bz2.open(archive)
    if magic.startswith((b"\xfd7zXZ", b"\x5d\0\0")):
        return lzma.open(archive)
    return archive.open("rb")


class _Bounded(io.RawIOBase):
    """The unpacked bytes of a tar, up to a limit."""

    def __init__(self, content: _Readable, most_bytes: int) -> None:
        self._content = content
        self._left = most_bytes

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        self._left -= len(data) or size  # tarfile seeks past the end by reading, for ever
        if self._left < 0:
            raise too_large()
        return data
