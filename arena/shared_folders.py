"""Files in folders that strangers may share: reached by descriptors, never by a stranger's link.

It knows no names of arena's files. whole_files.py writes with it.
"""

# Who may write to a folder can exchange anything in it for a symbolic link at any moment, also
# between a look at a path and its use. So a path is walked step by step, each step from the open
# folder before it, and the owner of each link is asked of the link that is followed. Links of ours
# and of root are followed: an organiser keeps results on another disk by one, and some systems have
# them at the root. `openat2` with RESOLVE_NO_SYMLINKS would refuse these, too.

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena import system

NOT_PLAIN = "it is no plain file"
"""Why a pipe, a device or a socket is not opened."""
MOST_LINKS = 40
"""On the way to a folder, as for the kernel."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
STEP = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC if system.LINUX else FOLDER
"""On Linux a step needs no right to list the folder, and opens a link itself."""


def is_trusted(status: os.stat_result) -> bool:
    """Return whether a file, a folder or a link is ours or root's."""
    return status.st_uid in {0, os.geteuid()}


@contextlib.contextmanager
def opened(path: Path, *parts: str) -> Iterator[int]:
    """Yield an open folder, for reading.

    Raise OSError if the way to it passes a symbolic link of a stranger.

    The names `parts` below `path` may be no links at all.
    """
    steps = list(reversed(path.parts))
    links = 0
    start = "."
    if path.is_absolute():
        start = "/"
    folder = os.open(start, STEP)
    try:
        with naming(path.joinpath(*parts)):
            while steps:
                entry = _step(steps.pop(), folder)
                if isinstance(entry, int):
                    os.close(folder)
                    folder = entry
                    continue
                links += 1
                if links > MOST_LINKS or not is_trusted(entry.status):
                    raise OSError(
                        errno.ELOOP, "a link of another user leads there; name the folder itself"
                    )
                steps += reversed(Path(entry.target).parts)
            for part in (".", *parts):
                entry = os.open(part, FOLDER, dir_fd=folder)
                os.close(folder)
                folder = entry
        yield folder
    finally:
        os.close(folder)


class _Link(NamedTuple):
    """A symbolic link on the way to a folder; status and target are surely of the same link."""

    status: os.stat_result
    target: str


def _step(name: str, folder: int) -> int | _Link:
    """Open what has this name in an open folder; return a link instead of opening it."""
    if system.LINUX:
        entry = os.open(name, STEP, dir_fd=folder)
        status = os.fstat(entry)
        if not stat.S_ISLNK(status.st_mode):
            return entry
        try:
            return _Link(status, os.readlink("", dir_fd=entry))
        finally:
            os.close(entry)
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISLNK(status.st_mode):
        return os.open(name, FOLDER, dir_fd=folder)
    target = os.readlink(name, dir_fd=folder)
    again = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if _identity(status) != _identity(again):
        raise OSError(errno.ELOOP, "a link there was exchanged meanwhile")
    return _Link(status, target)


def _identity(status: os.stat_result) -> tuple[int, int, int]:
    """Return numbers that are other ones for a file that took the place of this one."""
    return status.st_dev, status.st_ino, status.st_ctime_ns


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have an OSError name this path.

    A call that takes the descriptor of a folder knows only a part of the path.
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def open_plain(path: Path, *, trusted: bool = False) -> int:
    """Open a plain file for reading.

    Raise OSError for anything else, a symbolic link too, and for what is never written.

    If it must be `trusted`, it and its folder are ours or root's.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    with opened(path.parent) as folder, naming(path):
        descriptor = os.open(path.name, flags, dir_fd=folder)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, NOT_PLAIN)
            if trusted:
                both_trusted = is_trusted(status) and is_trusted(os.fstat(folder))
                if not both_trusted:
                    raise OSError(errno.EPERM, "it belongs to another user")
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


def read(path: Path, most: int = -1, *, trusted: bool = False) -> bytes:
    """Return the content of a plain file, as `open_plain` opens it.

    No more than the first `most` bytes.
    """
    descriptor = open_plain(path, trusted=trusted)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def refuse_pipe(path: Path) -> None:
    """Raise OSError for a pipe, a device or a socket.

    A program that opens a pipe waits until somebody writes to it.

    It is for a file that may be a link, because its user named it, and for one that another program
    opens by its name.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # who opens it gets the same error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, NOT_PLAIN, str(path))


@contextlib.contextmanager
def socket_path(path: Path) -> Iterator[str]:
    """Yield a path by which to bind or reach a Unix socket.

    Such a path has at most 108 bytes, and the socket's own path may have more.
    """
    if not system.LINUX:
        yield str(path)
        return
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(path.parent, flags)
    try:
        yield f"{system.OPEN_FILES}/{folder}/{path.name}"
    finally:
        os.close(folder)
