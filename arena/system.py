"""What differs between Linux and other systems: one file, so that no other file asks.

Elsewhere (macOS) there is no confinement, no /proc and no fork beside threads. Nothing here was run
on such a system: tests/not_linux/ refuses on Linux what only Linux has. Imported by the spawner, so
it stays small.
"""

import ctypes
import os
import sys

LINUX = sys.platform == "linux"
PROC = "/proc" if LINUX else os.devnull
"""The folder that shows processes. Elsewhere it is a file, so nothing below it can be opened: all
seem to be gone."""
OPEN_FILES = "/proc/self/fd" if LINUX else "/dev/fd"
"""A folder with the numbers of our open descriptors."""
START_METHOD = "fork" if LINUX else "spawn"
"""How a process of ours is started that may have threads: libraries of macOS crash in a fork of
such a process."""
MAXRSS_BYTES = 1024 if LINUX else 1
"""The unit of `ru_maxrss`."""
PATH = "/usr/local/bin:/usr/bin:/bin" if LINUX else "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin"
"""Where bots find programs."""

PR_SET_NAME = 15


def cores() -> tuple[int, ...]:
    """Return the cores that this process may use."""
    if sys.platform == "linux":
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def name_process(name: str) -> None:
    """Give this process a name for process lists, where that is possible."""
    if LINUX:
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
