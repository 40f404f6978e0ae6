"""Copy a file or folder of a stranger.

The copy has only plain files, folders and inner links, below one path.

It follows no link, opens only plain files, and writes nothing outside. It limits sizes while it
reads, because the source may change meanwhile. discovery/ judges on the copy whether it is a bot.
"""

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from arena import shared_folders
from arena.errors import ArenaError, FileError
from arena.event.discovery.files import LEFT_OUT, MAC_FORK, NOTED, leaves, shown
from arena.sandbox.copying import NEW

MOST_BYTES = 50_000_000
MOST_ENTRIES = 2000  # files and folders
DEEPEST = 16  # folders in folders
NAME_BYTES = 200  # some file systems take no more than 255, and arena's copies have endings
MOST_NOTED = 20  # paths that were left out
CHUNK_BYTES = 1 << 20
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
JUNK = {"__MACOSX", ".DS_Store"}
"""Names that a Mac leaves in folders and archives."""


class ExcessError(ArenaError):
    """Raised for more files or bytes than are allowed."""


@dataclass
class Allowance:
    """The bytes and entries that one submission may still use."""

    size: int = MOST_BYTES
    entries: int = MOST_ENTRIES
    left_out: Collection[str] = frozenset(JUNK)
    """Names that are not copied."""
    noted: list[str] = field(default_factory=list)
    """What was left out though its author may count on it, by its path within the submission."""

    def enter(self, path: PurePosixPath) -> None:
        """Count one more file or folder, at this path within the submission."""
        self.entries -= 1
        if self.entries < 0:
            raise too_many()
        check_path(path)

    def leave_out(self, path: PurePosixPath) -> None:
        """Note a path within the submission that is left out, if its author may count on it."""
        name = path.as_posix()
        is_new = name not in self.noted
        if path.name in NOTED and is_new and len(self.noted) < MOST_NOTED:
            self.noted.append(name)

    def pour(
        self,
        source: IO[bytes],
        target: Path,
        *,
        executable: bool,
    ) -> None:
        """Copy a file as far as its bytes are allowed; of its mode only the right to run it stays.

        Only its owner may write to the copy, which plays later, and nobody may do what the umask
        forbids.
        """
        mode = 0o644
        if executable:
            mode = 0o755
        descriptor = os.open(target, NEW, mode)
        with os.fdopen(descriptor, "wb") as file:
            while True:
                data = source.read(min(CHUNK_BYTES, self.size + 1))
                if not data:
                    return
                self.size -= len(data)
                if self.size < 0:
                    raise too_large()
                file.write(data)


def check_path(path: PurePosixPath) -> None:
    """Raise ArenaError for a path that is too deep, or whose name is unfit for a file."""
    if len(path.parts) > DEEPEST:
        raise ArenaError(f"its folders are more than {DEEPEST} deep: {shown(str(path)[:80])}...")
    is_too_long = len(os.fsencode(path.name)) > NAME_BYTES
    if is_too_long or "\\" in path.name or not path.name.isprintable():
        raise ArenaError(
            f"{str(path)[:NAME_BYTES]!a} is no name for a file: use letters, digits and . _ -"
        )


def too_many() -> ExcessError:
    """Return the refusal of a submission that has too many files."""
    return ExcessError(
        f"it has more than {MOST_ENTRIES} files: leave out what the bot does not need"
    )


def too_large() -> ExcessError:
    """Return the refusal of a submission that is too large."""
    return ExcessError(
        f"it is larger than {MOST_BYTES // 1_000_000} MB: leave out what the bot does not need"
    )


def copy_submission(
    source: Path,
    target: Path,
    allowance: Allowance | None = None,
) -> None:
    """Copy a file or a folder to the free path `target`; ArenaError with the reason if refused.

    Several files of one submission share an `allowance`.
    """
    source = Path(os.path.abspath(source))  # noqa: PTH100 (gives `.` its name, and follows no link)
    try:
        with shared_folders.opened(source.parent) as parent:
            copy_entry(parent, source.name, target, allowance or Allowance())
    except OSError as error:
        raise FileError(source, f"cannot be read: {error.strerror}") from error


def copy_entry(
    folder: int,
    name: str,
    target: Path,
    allowance: Allowance,
) -> None:
    """Copy an entry of an open folder to the free path `target`, as `copy_submission` does."""
    try:
        _copy(folder, name, target, PurePosixPath(name), allowance)
    except OSError as error:
        inner = PurePosixPath(os.fsdecode(error.filename or name))
        raise FileError(inner, f"cannot be read: {error.strerror}") from error


def _copy(
    parent: int,
    name: str,
    target: Path,
    path: PurePosixPath,
    allowance: Allowance,
) -> None:
    """Copy one entry of an open folder; `path` is its path within the submission.

    Every entry is opened by its name in its open folder. So nobody can exchange a folder above it
    for a link meanwhile.
    """
    allowance.enter(path)
    mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        folder = os.open(name, READ | os.O_DIRECTORY, dir_fd=parent)
        try:
            _copy_folder(folder, target, path, allowance)
        finally:
            os.close(folder)
    elif stat.S_ISREG(mode):
        _copy_file(parent, name, target, path, allowance)
    elif stat.S_ISLNK(mode):
        # A link within the submission stays a link. discovery/ judges it once more on the copy,
        # where it may lead elsewhere by way of other links.
        leads_to = os.readlink(name, dir_fd=parent)
        end = PurePosixPath(os.path.normpath(path.parent / leads_to))
        is_inner = len(path.parts) > 1 and end.parts[:1] == path.parts[:1]
        if leads_to.startswith("/") or not is_inner:
            raise leaves(path)
        target.symlink_to(leads_to)
    else:
        raise FileError(path, "is neither a file nor a folder; take it out of the bot")


def _copy_folder(
    folder: int,
    target: Path,
    path: PurePosixPath,
    allowance: Allowance,
) -> None:
    target.mkdir(0o755)
    with os.scandir(folder) as entries:
        for entry in entries:
            inner = path / entry.name
            if entry.name in allowance.left_out or entry.name.startswith(MAC_FORK):
                continue
            if entry.name in LEFT_OUT and not entry.is_file(follow_symlinks=False):
                allowance.leave_out(inner.relative_to(path.parts[0]))
                continue
            _copy(folder, entry.name, target / entry.name, inner, allowance)


def _copy_file(
    parent: int,
    name: str,
    target: Path,
    path: PurePosixPath,
    allowance: Allowance,
) -> None:
    descriptor = os.open(name, READ, dir_fd=parent)
    with os.fdopen(descriptor, "rb") as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise FileError(path, "is no file any more; submit it again")
        # The other name may be anybody's file, which the organiser can read and the author cannot.
        if before.st_nlink > 1:
            raise FileError(
                path, "has a second name elsewhere (a hard link); copy the file instead"
            )
        if before.st_size > allowance.size:
            raise too_large()
        executable = bool(before.st_mode & 0o111)
        allowance.pour(file, target, executable=executable)
        after = os.fstat(file.fileno())
    if _state(before) != _state(after):
        raise FileError(path, "changed while it was read; submit it again")


def _state(status: os.stat_result) -> tuple[int, int, int]:
    """Return what differs when a file is written: its size and its times in nanoseconds."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
