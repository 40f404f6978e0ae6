"""Files and folders that a power cut leaves whole: a name has the new content, the old, or none.

Every file that arena writes for its users is written here: under a name that nobody can foresee,
and through no link of a stranger, who may share the folder (shared_folders.py). It knows nothing of
the content.
"""

# The order of the calls matters: write, fsync the file, fsync its folder, rename, fsync the folder
# of the new name. Without the first fsync a file system may put the rename on disk before the
# content, and leave an empty file under the final name. Without the last one the rename itself may
# be lost after it was reported as done.

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from arena import shared_folders

UNSUPPORTED = {errno.EINVAL, errno.ENOTSUP, errno.EROFS}
"""The errors of file systems that cannot sync a folder; they order their changes of folders
themselves."""

STAGE = ".arena-new-"
"""The beginning of the names of the folders of `staging`."""

LEFT_S = 60.0
"""A stage that is older, and that nobody has locked, was left by a killed process; likewise a file
that nobody has written to for so long, and whose process is not here."""

LINK = "it is a symbolic link; remove it, or name what it leads to"
"""Why nothing is written there. Only a user knows whether what it leads to may be replaced."""

PRIVATE, SHARED, PROGRAM = 0o600, 0o666, 0o777
"""The modes of new files: for their owner alone, or for everybody whom the umask permits; a
program, for the same.

They are for `open`, which takes away what the umask forbids. `chmod` asks no umask: SHARED would
let everybody write."""


NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""The flags that open a file to write it, if its name is free."""


def write(path: Path, content: bytes, mode: int = SHARED) -> Path:
    """Write a file, whole or not at all, and return its path.

    An existing file is replaced in one step.
    """
    with replacing(path, mode) as file:
        file.write(content)
    return path


@contextlib.contextmanager
def replacing(
    path: Path,
    mode: int = SHARED,
    *,
    synced: bool = True,
) -> Iterator[BinaryIO]:
    """Yield a file to write; at the end of the `with` it replaces `path`.

    After an error `path` is as before.

    A pipe or a device is written into, and what else is no plain file is refused by an OSError:
    nobody wants to replace these. The unfinished files of killed processes are removed first, so
    that they never pile up. If it is not `synced`, a power cut may leave an empty file.
    """
    with shared_folders.opened(path.parent) as folder:
        stream = _stream(path, folder)
        if stream is not None:
            with os.fdopen(stream, "wb") as file:
                yield file
            return
        _remove_leftovers(path.name, folder)
        # Nobody can foresee the name, and a name that is taken is refused: a stranger who may write
        # to this folder, too, could have put a link there.
        part = f".{path.name}.{os.getpid()}.{secrets.token_hex(8)}.part"
        with shared_folders.naming(path):
            descriptor = os.open(part, NEW_FILE, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                if synced:
                    os.fsync(descriptor)
            with shared_folders.naming(path):
                os.replace(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with contextlib.suppress(OSError):  # it has its final name
                os.unlink(part, dir_fd=folder)
        if synced:
            _sync_open(folder)


def open_to_append(path: Path) -> int:
    """Open a plain file to write at its end, and make it if necessary.

    Raise OSError for anything else.
    """
    return _open_or_make(path, os.O_WRONLY | os.O_APPEND, SHARED)


def open_lock(path: Path) -> int:
    """Open a plain file to lock it, and make it if necessary; OSError for anything else.

    It is for its owner alone: whoever can open a file, if only to read it, can hold a lock on it,
    and so stop arena.
    """
    return _open_or_make(path, os.O_RDWR, PRIVATE)


@contextlib.contextmanager
def locked(path: Path, *, waits: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which ends with this process.

    Raise BlockingIOError if it does not wait for another's.
    """
    lock = open_lock(path)
    operation = fcntl.LOCK_EX
    if not waits:
        operation |= fcntl.LOCK_NB
    try:
        fcntl.flock(lock, operation)
        yield
    finally:
        os.close(lock)


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    with contextlib.suppress(FileNotFoundError), shared_folders.opened(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def write_cache(path: Path, content: bytes, mode: int = SHARED) -> None:
    """Store what can be made again, in a folder of ours.

    What cannot be written there is made again each time.
    """
    with contextlib.suppress(OSError):
        if path.parent.stat().st_uid == os.geteuid():
            write(path, content, mode)


def read_cache(path: Path) -> bytes:
    """Return what `write_cache` stored; OSError if there is nothing that we or root wrote."""
    return shared_folders.read(path, trusted=True)


def publish(making: Path, target: Path) -> Path:
    """Put a finished file or folder on disk, give it its final name, and return the new path.

    A file replaces a file; a folder needs a free name (OSError ENOTEMPTY otherwise). Both are in
    one file system.
    """
    publish_all({making: target})
    return target


def publish_all(targets: Mapping[Path, Path]) -> None:
    """Publish several finished files and folders of one file system, each under its final name.

    After a power cut each of them is there as a whole or not at all.
    """
    for making in targets:
        sync_tree(making)
    with contextlib.ExitStack() as stack:
        folders: dict[Path, int] = {}
        for making, target in targets.items():
            for folder in (target.parent, making.parent):
                if folder not in folders:
                    opening = shared_folders.opened(folder)
                    folders[folder] = stack.enter_context(opening)
        for making, target in targets.items():
            with shared_folders.naming(target):
                os.replace(
                    making.name,
                    target.name,
                    src_dir_fd=folders[making.parent],
                    dst_dir_fd=folders[target.parent],
                )
        for descriptor in folders.values():
            _sync_open(descriptor)


def copy_new(source: Path, target: Path) -> None:
    """Copy a file or a folder into new files, as if their user had made them.

    Their modes are those that the umask permits; of a file's mode only the right to run it is
    copied. Compiled Python files and hidden files are left out; a folder may be there. Nothing is
    put on disk: `publish` does that.
    """
    if source.is_dir():
        target.mkdir(exist_ok=True)
        for path in source.iterdir():
            is_compiled = path.suffix == ".pyc" or path.name == "__pycache__"
            is_hidden = path.name.startswith(".")
            if not is_compiled and not is_hidden:
                copy_new(path, target / path.name)
        return

    mode = SHARED
    if source.stat().st_mode & stat.S_IXUSR:
        mode = PROGRAM
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(target, flags, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())


@contextlib.contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Yield a new folder in `folder`, to make there what is published into it.

    It is removed at the end. The folders that killed processes have left are removed first.
    """
    _remove_left_stages(folder)
    making = Path(tempfile.mkdtemp(prefix=STAGE, dir=folder))
    with contextlib.ExitStack() as made:
        made.callback(shutil.rmtree, making, ignore_errors=True)
        with contextlib.suppress(OSError):  # a file system without locks: none is swept there
            made.callback(os.close, _lock_stage(making))
        yield making


def make_empty(path: Path, mode: int = SHARED) -> None:
    """Make an empty file, unless the name is taken."""
    with (
        contextlib.suppress(FileExistsError),
        shared_folders.opened(path.parent) as folder,
        shared_folders.naming(path),
    ):
        descriptor = os.open(path.name, NEW_FILE, mode, dir_fd=folder)
        os.close(descriptor)


def make_folder(path: Path, *parts: str) -> Path:
    """Make a folder and its missing parents, each with its name on disk.

    An existing folder is fine. Return its path.

    The names `parts` below `path` are arena's own, so a symbolic link there is refused: it came
    with results of a stranger, and arena would make files elsewhere.
    """
    folders = (path, *path.parents)
    missing = [folder for folder in folders if not folder.exists()]
    for folder in reversed(missing):
        _make_folder(folder)
    if not path.is_dir():
        reason = os.strerror(errno.EEXIST)
        raise FileExistsError(errno.EEXIST, reason, str(path))
    for part in parts:
        path /= part
        _make_folder(path)
        if path.is_symlink():
            raise OSError(errno.ELOOP, LINK, str(path))
    return path


def sync_tree(path: Path) -> None:
    """Put a file, or a folder with its whole content, on disk.

    Links are not followed: a link is part of its folder.
    """
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        for entry in path.iterdir():
            sync_tree(entry)
        sync_folder(path)
    elif stat.S_ISREG(mode):
        _sync(path)


def sync_folder(path: Path) -> None:
    """Put the names in a folder on disk: after a file was renamed, made or removed."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        _sync_open(descriptor)
    finally:
        os.close(descriptor)


def _sync_open(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def _sync(path: Path) -> None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_or_make(path: Path, flags: int, mode: int) -> int:
    flags |= os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    with shared_folders.opened(path.parent) as folder, shared_folders.naming(path):
        descriptor = os.open(path.name, flags, mode, dir_fd=folder)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return descriptor
        os.close(descriptor)
        raise OSError(errno.EINVAL, shared_folders.NOT_PLAIN)


def _make_folder(path: Path) -> None:
    with shared_folders.opened(path.parent) as parent, shared_folders.naming(path):
        try:
            os.mkdir(path.name, dir_fd=parent)
        except FileExistsError:
            if not path.is_dir():
                raise
        else:
            _sync_open(parent)


def _stream(path: Path, folder: int) -> int | None:
    """Open what is to be written into: a pipe or a device.

    Return None for a plain file, and where nothing is.

    OSError with the reason for anything else.
    """
    with shared_folders.naming(path):
        try:
            status = os.stat(path.name or ".", dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISREG(status.st_mode):
            return None
        if stat.S_ISDIR(status.st_mode):
            raise OSError(errno.EISDIR, "it is a folder")
        if stat.S_ISLNK(status.st_mode):
            raise OSError(errno.ELOOP, LINK)
        is_stream = stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode)
        if not is_stream:
            raise OSError(errno.EINVAL, "it is neither a plain file nor a pipe; name another one")
        if not shared_folders.is_trusted(status):  # its owner could let us wait without end
            raise OSError(
                errno.EPERM, "it is a pipe or a device of another user; name another file"
            )
        flags = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        try:
            descriptor = os.open(path.name, flags, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise OSError(errno.ENXIO, "nobody reads it") from error
            raise
        os.set_blocking(descriptor, True)
        return descriptor


def _remove_leftovers(name: str, folder: int) -> None:
    """Remove the unfinished files of this name that killed processes have left.

    The process of a fresh file may live in another container that shares the folder: there it has
    another number. A lock would say for sure that it lives, but strangers may lock files that they
    can read, and then no write would succeed there.
    """
    part = re.compile(rf"\.{re.escape(name)}\.([0-9]+)\.[0-9a-f]{{16}}\.part")
    for file in os.listdir(folder):
        match = part.fullmatch(file)
        if match is None or not _has_ended(match[1]):
            continue
        with contextlib.suppress(OSError):  # another process has removed it
            status = os.stat(file, dir_fd=folder, follow_symlinks=False)
            if time.time() - status.st_mtime > LEFT_S:
                os.unlink(file, dir_fd=folder)


def _has_ended(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:  # it runs, as another user
        return False
    except (ProcessLookupError, ValueError, OverflowError):
        return True
    return False


def _remove_left_stages(folder: Path) -> None:
    """Remove the folders of `staging` that killed processes of this user have left."""
    for path in folder.glob(f"{STAGE}*"):
        with contextlib.suppress(OSError):  # it is in use, or another process removes it, too
            status = path.lstat()
            is_old = time.time() - status.st_mtime > LEFT_S
            if is_old and status.st_uid == os.geteuid():
                lock = _lock_stage(path)
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _lock_stage(path: Path) -> int:
    """Lock a stage; return the descriptor, with which the lock ends, as it does with the process.

    Raise OSError if another process holds it. The number of a process in the name would not do:
    containers and machines that share a folder do not know each other's processes.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
