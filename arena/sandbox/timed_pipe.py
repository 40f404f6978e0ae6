"""A pipe that knows when somebody last wrote to it, so that a late reader knows how late it is.

The kernel notes the time of each write in the inode of a pipe that has a name (a FIFO), not in that
of an anonymous one (since Linux 6.15). So a FIFO is made, opened at both ends, and its name
removed. On a file system in memory that costs 40 microseconds, and a write to it as much as any
other.

The time is that of the last tick of the kernel (4 ms at 250 Hz), or exact. It is noted when the
write ends. A write that does not fit into the pipe may be read in part before that, and then the
time is that of an earlier write.
"""

import contextlib
import os
import re
import secrets
import stat
import tempfile
import time
from functools import cache

from arena import system

IN_MEMORY = "/dev/shm"  # noqa: S108 (nobody else knows the name, and it lasts for microseconds)
COARSE_CLOCK = 5
"""CLOCK_REALTIME_COARSE of clock_gettime(2), for which Python has no name. The kernel takes the
times of files from it."""
EPOCH = (0, 0)
NAME = re.compile(r"arena-[0-9a-f]{32}")
OLD_S = 60.0
"""A name of this age is nobody's: it is removed microseconds after it was made, unless its maker
was killed."""


def make() -> tuple[int, int]:
    """Return the ends of a new pipe, to read and to write.

    A plain one where the kernel would note no times.
    """
    folder = _folder()
    if folder is not None:
        with contextlib.suppress(OSError):  # it may be full by now
            return _made(folder)
    return os.pipe()


def is_timed(descriptor: int) -> bool:
    """Return whether this end belongs to a pipe that knows when somebody wrote to it."""
    return system.LINUX and os.fstat(descriptor).st_nlink == 0  # an anonymous pipe has one link


def last_write(descriptor: int) -> tuple[float, float]:
    """Return the earliest and the latest moment at which the last write can have ended.

    The moments are monotonic, and the descriptor belongs to a timed pipe. A write changes both
    times of an inode. A process that nothing confines may set the first as it likes, but this
    changes the second to the present.
    """
    status = os.fstat(descriptor)
    wall = time.time_ns()
    now = time.monotonic()
    first, last = sorted((status.st_mtime_ns, status.st_ctime_ns))
    earliest = now - (wall - first) / 1e9
    latest = now - (wall - last) / 1e9 + tick()
    return earliest, latest


@cache
def tick() -> float:
    """Return the seconds between two times that the kernel may note."""
    return time.clock_getres(COARSE_CLOCK)


@cache
def _folder() -> str | None:
    """Return a folder in which pipes are timed; None where there is none.

    A file system in layers, as containers have it, notes no times of pipes.
    """
    if not system.LINUX:
        return None
    for folder in (IN_MEMORY, tempfile.gettempdir()):
        try:
            ends = _made(folder)
        except OSError:
            continue
        try:
            os.utime(ends[0], EPOCH)
            os.write(ends[1], b"\n")
            if os.fstat(ends[0]).st_mtime_ns:
                _sweep(folder)
                return folder
        except OSError:
            continue
        finally:
            for descriptor in ends:
                os.close(descriptor)
    return None


def _sweep(folder: str) -> None:
    """Remove the names of pipes that killed processes of this user left while they made one."""
    for name in os.listdir(folder):
        if not NAME.fullmatch(name):
            continue
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):  # it is gone
            status = os.lstat(path)
            is_ours = stat.S_ISFIFO(status.st_mode) and status.st_uid == os.geteuid()
            is_old = time.time() - status.st_ctime > OLD_S
            if is_ours and is_old:
                os.unlink(path)


def _made(folder: str) -> tuple[int, int]:
    name = f"{folder}/arena-{secrets.token_hex(16)}"
    os.mkfifo(name, 0o600)
    try:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOATIME
        reading = os.open(name, flags)
        try:
            os.set_blocking(reading, True)  # to open it must not wait for a writer
            return reading, os.open(name, os.O_WRONLY | os.O_CLOEXEC)
        except BaseException:
            os.close(reading)
            raise
    finally:
        os.unlink(name)
