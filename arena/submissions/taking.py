"""A stranger's file or folder, copied: whatever it is made of, what is copied are plain files below one folder.

Nothing is followed, opened that is no plain file, or written outside; sizes are bounded while they are read, since the
folder may change meanwhile. What of it is a bot, roster/ judges on the copy.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from arena.errors import ArenaError
from arena.roster.files import LEFT_OUT, shown

BYTES = 50_000_000
ENTRIES = 2000
DEPTH = 16
CHUNK = 1 << 20
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
JUNK = {"__MACOSX", ".DS_Store"}
"""What a Mac leaves in folders and archives."""


@dataclass
class Room:
    """What one submission may still take."""

    size: int = BYTES
    entries: int = ENTRIES

    def enter(self, where: PurePosixPath) -> None:
        """One more file or folder, at this place within the submission."""
        self.entries -= 1
        if self.entries < 0:
            raise ArenaError(f"it has more than {ENTRIES} files: leave out what the bot does not need")
        if len(where.parts) > DEPTH:
            raise ArenaError(f"its folders are more than {DEPTH} deep: {shown(str(where)[:80])}...")
        if not where.name.isprintable() or "\\" in where.name:
            raise ArenaError(f"{str(where)!a} is no name for a file: use letters, digits and . _ -")

    def pour(self, source: IO[bytes], target: Path, *, executable: bool) -> None:
        """Copy what is there, as far as there is room; no mode is kept but whether it may be run."""
        with target.open("xb") as file:
            while data := source.read(min(CHUNK, self.size + 1)):
                self.size -= len(data)
                if self.size < 0:
                    raise too_large()
                file.write(data)
        target.chmod(0o755 if executable else 0o644)


def too_large() -> ArenaError:
    """What is said of a submission without measure."""
    return ArenaError(f"it is larger than {BYTES // 1_000_000} MB: leave out what the bot does not need")


def take(source: Path, target: Path) -> None:
    """Copy a file or a folder to `target`, which does not exist; ArenaError, with the reason, for what is refused."""
    source = Path(os.path.abspath(source))  # noqa: PTH100 (`.` has a name of its own, and no link is followed)
    try:
        parent = os.open(source.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _take(parent, source.name, target, PurePosixPath(source.name), Room())
        finally:
            os.close(parent)
    except OSError as error:
        name = shown(os.fsdecode(error.filename or source))
        raise ArenaError(f"{name}: cannot be read: {error.strerror}") from error


def _take(parent: int, name: str, target: Path, where: PurePosixPath, room: Room) -> None:
    """One entry of an open folder."""
    room.enter(where)
    mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        _folder(parent, name, target, where, room)
    elif stat.S_ISREG(mode):
        _file(parent, name, target, where, room)
    elif stat.S_ISLNK(mode):
        _link(os.readlink(name, dir_fd=parent), target, where)
    else:
        raise ArenaError(f"{shown(where)}: is neither a file nor a folder; take it out of the bot")


def _folder(parent: int, name: str, target: Path, where: PurePosixPath, room: Room) -> None:
    folder = os.open(name, READ | os.O_DIRECTORY, dir_fd=parent)
    try:
        target.mkdir()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name in JUNK or (entry.name in LEFT_OUT and entry.is_dir(follow_symlinks=False)):
                    continue
                _take(folder, entry.name, target / entry.name, where / entry.name, room)
    finally:
        os.close(folder)


def _file(parent: int, name: str, target: Path, where: PurePosixPath, room: Room) -> None:
    with os.fdopen(os.open(name, READ, dir_fd=parent), "rb") as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise ArenaError(f"{shown(where)}: is no file any more; submit it again")
        if before.st_nlink > 1:
            raise ArenaError(f"{shown(where)}: has a second name elsewhere (a hard link); copy the file instead")
        if before.st_size > room.size:
            raise too_large()
        room.pour(file, target, executable=bool(before.st_mode & 0o111))
        after = os.fstat(file.fileno())
    if _state(before) != _state(after):
        raise ArenaError(f"{shown(where)}: changed while it was read; submit it again")


def _state(info: os.stat_result) -> tuple[int, ...]:
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _link(leads: str, target: Path, where: PurePosixPath) -> None:
    """A link within the submission stays one; it is judged once more where it then stands."""
    meant = os.path.normpath(where.parent / leads)
    if leads.startswith("/") or len(where.parts) < 2 or PurePosixPath(meant).parts[0] != where.parts[0]:
        raise ArenaError(f"{shown(where)}: this link leaves the bot's folder; copy the file instead")
    target.symlink_to(leads)
