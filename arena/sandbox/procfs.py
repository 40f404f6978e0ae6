"""What /proc tells of processes, read without a library: it must be quick, and serve the spawner too."""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
READY = b"R"
"""The state of a thread that runs, or would if it had a core."""


class Seen(NamedTuple):
    """One process, as /proc tells."""

    group: int
    cpu: float
    """Seconds, with those of its reaped children."""
    own: float
    """Without them."""
    threads: int
    resident: int
    """Bytes."""


def see(pid: int) -> Seen | None:
    """A process, if it is there."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        try:
            text = os.read(descriptor, 1024)
        finally:
            os.close(descriptor)
    except OSError:
        return None
    words = text.rpartition(b")")[2].split()  # proc_pid_stat(5), from the third field on
    if words[0] in (b"Z", b"X"):
        return None
    own, reaped = (sum(map(int, words[first : first + 2])) / TICK for first in (11, 13))
    return Seen(group=int(words[2]), cpu=own + reaped, own=own, threads=int(words[17]), resident=int(words[21]) * PAGE)


def threads(pid: int, file: str, but: int = 0) -> Iterator[tuple[str, bytes]]:
    """What /proc tells of each thread of a process in this file, `but` for one; nothing of those that are gone."""
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            if task != str(but):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/{file}", "rb") as told:
                    yield task, told.read()


def states(pid: int) -> list[bytes]:
    """The state of each thread of a process, a letter: proc_pid_stat(5); none when it is gone."""
    return [text.rpartition(b")")[2].split(maxsplit=1)[0] for _, text in threads(pid, "stat")]


def peak(pid: int) -> int:
    """The most bytes that a process ever had resident; 0 when it can't be told."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:  # bytes: it begins with a name of the process's own choice
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith(b"VmHWM:"))
    except (OSError, StopIteration):
        return 0


def share(pid: int) -> int | None:
    """Resident bytes of a process, in which what several share is counted once in all; None when it can't be told."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            return next(int(line.split()[1]) * 1024 for line in rollup if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return None


def below(*roots: int) -> Iterator[int]:
    """Every process below these, at any depth; the roots are not among them."""
    more = list(roots)
    while more:
        found = children(more.pop())
        yield from found
        more += found


def children(pid: int) -> list[int]:
    """The processes that any thread of this one started, or adopted."""
    return [int(child) for _, text in threads(pid, "children") for child in text.split()]
