"""Files and folders that a power cut leaves whole: the final name has the new content, the old, or none.

It knows nothing of the content that it writes.
"""

# The order of the calls matters: write, fsync the file, fsync its folder, rename, fsync the folder of the new name.
# Without the first fsync a file system may put the rename on disk before the content, and leave an empty file under the
# final name. Without the last one the rename itself may be lost after it was reported as done.

import contextlib
import ctypes
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

UNSUPPORTED = {errno.EINVAL, errno.ENOTSUP, errno.EROFS}
"""The errors of file systems that cannot sync a folder; they order their changes of folders themselves."""

MANY = 32
"""From so many files or folders on, one sync of their whole file system replaces a sync of each: a thousand bots need
three thousand syncs, and on a disk each may take some milliseconds. A sync of all also waits for what other programs
wrote there, so few files are synced alone."""

PRIVATE, SHARED = 0o600, 0o666
"""The modes of new files: for their owner alone, or for everybody whom the umask permits."""


def write(path: Path, content: bytes, mode: int = SHARED) -> Path:
    """Write a file, whole or not at all, and return its path. An existing file is replaced in one step."""
    with replacing(path, mode) as file:
        file.write(content)
    return path


@contextlib.contextmanager
def replacing(path: Path, mode: int = SHARED) -> Iterator[BinaryIO]:
    """Yield a file to write; at the end of the `with` it replaces `path`. After an error `path` is as before.

    The unfinished files of killed processes are removed first, so that they never pile up.
    """
    literal_name = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path.name)
    for part in path.parent.glob(f".{literal_name}.*.part"):
        if not _is_running(part.name.split(".")[-2]):
            part.unlink(missing_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def publish(making: Path, target: Path) -> Path:
    """Put a finished file or folder on disk, give it its final name, and return the new path.

    A file replaces a file; a folder needs a free name (OSError ENOTEMPTY otherwise). Both are in one file system.
    """
    publish_all({making: target})
    return target


def publish_all(targets: Mapping[Path, Path]) -> None:
    """Publish several finished files and folders of one file system, each under its final name.

    After a power cut each of them is there as a whole or not at all.
    """
    if len(targets) < MANY or not _sync_file_system(next(iter(targets))):
        for making in targets:
            sync_tree(making)
    for making, target in targets.items():
        making.replace(target)
    for folder in dict.fromkeys(path.parent for pair in targets.items() for path in reversed(pair)):
        sync_folder(folder)


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read or write, unless the name is taken."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, PRIVATE))


def make_folder(path: Path) -> Path:
    """Make a folder and its missing parents, each with its name on disk; an existing folder is fine."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
    if not missing:
        path.mkdir(exist_ok=True)  # raises FileExistsError when it is a file
    return path


def sync_tree(path: Path) -> None:
    """Put a file, or a folder with its whole content, on disk. Links are not followed: a link is part of its folder."""
    if path.is_symlink():
        return
    if not path.is_dir():
        _sync(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        return
    for root, _, names in os.walk(path, topdown=False, onerror=_raised):
        for name in names:
            file = Path(root, name)
            if stat.S_ISREG(file.lstat().st_mode):
                _sync(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        sync_folder(Path(root))


def sync_folder(path: Path) -> None:
    """Put the names in a folder on disk: after a file was renamed, made or removed."""
    try:
        _sync(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def _sync_file_system(path: Path) -> bool:
    """Put a whole file system on disk; return False where the C library cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "syncfs"):
        return False
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.syncfs(descriptor):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(descriptor)
    return True


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _raised(error: OSError) -> None:
    raise error


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
