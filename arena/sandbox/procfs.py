"""/proc: facts about processes.

They are read without a library, because this must be quick, and the spawner uses it, too.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from arena.system import PROC

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
STAT_BYTES = 1024
READ_BYTES = 1 << 14
VMSTAT_BYTES = 1 << 16
READY = b"R"
"""The state of a thread that runs, or would if it had a core."""
ENDED = (b"Z", b"X")
STOPPED = (b"T", b"t", *ENDED)
"""The states of a thread that runs no more: stopped by a signal, by a tracer, or ended."""


def trouble() -> str | None:
    """Return why /proc here does not show the processes of this system as we number them.

    Return None when it does.
    """
    try:
        pid = os.readlink(f"{PROC}/self")
    except OSError:
        return "/proc is not mounted here"
    if pid != str(os.getpid()):
        return "/proc here is that of another process namespace"
    return None


def kills_for_memory() -> int:
    """Return how many processes of this system the kernel has killed to free memory.

    Return 0 if the kernel does not tell.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open(f"{PROC}/vmstat", "rb", 0) as file:
            text = file.read(VMSTAT_BYTES)
        _, _, after = text.partition(b"\noom_kill ")
        return int(after.split(None, 1)[0])
    return 0


class ProcessUsage(NamedTuple):
    """The resources that one process uses."""

    cpu: float
    """Seconds, with those of its reaped children."""
    own_cpu: float
    """Without them."""
    threads: int
    resident: int
    """Bytes."""


def see(pid: int) -> ProcessUsage | None:
    """Return what a process uses; None when it is gone."""
    fields = _stat(pid)
    if _left_threads(fields):
        fields = _stat(living(pid))
    if not fields or fields[0] in ENDED:
        return None
    user, system, user_of_reaped, system_of_reaped = map(int, fields[11:15])  # in clock ticks
    own_cpu = (user + system) / TICKS_PER_S
    reaped = (user_of_reaped + system_of_reaped) / TICKS_PER_S
    with contextlib.suppress(OSError):  # to the nanosecond, where /proc has hundredths of a second
        own_cpu = time.clock_gettime_ns(cpu_clock(pid)) / 1e9
    return ProcessUsage(
        cpu=own_cpu + reaped,
        own_cpu=own_cpu,
        threads=int(fields[17]),
        resident=int(fields[21]) * PAGE_BYTES,
    )


def cpu_clock(pid: int) -> int:
    """Return the id of the clock that shows the CPU time of a whole process.

    Clock_getcpuclockid(3).
    """
    return ~pid << 3 | 2


def living(pid: int) -> int:
    """Return a number under which /proc shows a process: its own, or that of a living thread.

    A program may end its first thread and live on in others. Under the process's own number /proc
    then shows a zombie without memory, files and environment.
    """
    if _left_threads(_stat(pid)):
        for thread, stat in threads(pid, "stat", but=pid):
            if _state(stat) not in ENDED:
                return int(thread)
    return pid


def has_ended(pid: int) -> bool:
    """Return whether a process that was not reaped yet has ended, with all its threads."""
    fields = _stat(pid)
    return bool(fields) and fields[0] in ENDED and not _left_threads(fields)


def _left_threads(fields: list[bytes]) -> bool:
    """Return whether the first thread has ended and others are still there.

    Most zombies have no other thread.
    """
    return bool(fields) and fields[0] == b"Z" and int(fields[17]) > 1


def _stat(pid: int) -> list[bytes]:
    """Return the fields of proc_pid_stat(5) from the third on; none when the process is gone."""
    try:
        descriptor = os.open(f"{PROC}/{pid}/stat", os.O_RDONLY)
        try:
            text = os.read(descriptor, STAT_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        return []
    _, _, fields = text.rpartition(b")")  # the second field is a name in parentheses
    return fields.split()


def _state(stat: bytes) -> bytes:
    _, _, fields = stat.rpartition(b")")
    return fields.split(maxsplit=1)[0]


def threads(pid: int, file: str, but: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield each thread of a process, without the thread `but`, and its text in a file of /proc.

    A thread that is gone is left out.
    """
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"{PROC}/{pid}/task"):
            if thread == str(but):
                continue
            with contextlib.suppress(OSError):
                yield thread, _read(f"{PROC}/{pid}/task/{thread}/{file}")


def _read(path: str) -> bytes:
    """Return the whole text of a file, in half the time of `open`.

    Raise OSError when it cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        text = b""
        part = os.read(descriptor, READ_BYTES)
        while part:
            text += part
            part = os.read(descriptor, READ_BYTES)
        return text
    finally:
        os.close(descriptor)


def states(pid: int) -> list[bytes]:
    """Return the state of each thread of a process, a letter of proc_pid_stat(5).

    None when it is gone.
    """
    return [_state(stat) for _, stat in threads(pid, "stat")]


def peak(pid: int) -> int:
    """Return the most bytes that a process ever had resident; 0 when they cannot be read."""
    return 1024 * (_number(f"{PROC}/{pid}/status", b"VmHWM:") or 0)


def page_tables(pid: int) -> int:
    """Return the bytes of the tables by which the kernel finds a process's memory.

    0 when they cannot be read.
    """
    return 1024 * (_number(f"{PROC}/{living(pid)}/status", b"VmPTE:") or 0)


def share(pid: int) -> int | None:
    """Return the resident bytes of a process, with its share of what several have.

    Return None when they cannot be read.
    """
    kilobytes = _number(f"{PROC}/{pid}/smaps_rollup", b"Pss:")
    if kilobytes is None:
        return None
    return 1024 * kilobytes


def _number(path: str, name: bytes) -> int | None:
    """Return the number in the line of a file that begins with a name; None if it cannot be read.

    The first line is not looked at. The file is read as bytes: it may begin with a name that the
    process has chosen itself.
    """
    try:
        _, _, after = _read(path).partition(b"\n" + name)
        return int(after.split(None, 1)[0])
    except (OSError, IndexError):
        return None


def group(pid: int) -> int | None:
    """Return the process group of a process, also if that ended and was not reaped.

    Return None when the process is gone.
    """
    fields = _stat(pid)
    if not fields:
        return None
    return int(fields[2])


def session(pid: int) -> int:
    """Return the session of a process that has not ended; 0 for any other."""
    fields = _stat(pid)
    if not fields:
        return 0
    if fields[0] in ENDED and not _left_threads(fields):
        return 0
    return int(fields[3])


def start(pid: int) -> int:
    """Return when a process was started, in clock ticks since the boot; 0 when it is gone."""
    fields = _stat(pid)
    if not fields:
        return 0
    return int(fields[19])


def of_group(leader: int, root: int) -> Iterator[int]:
    """Yield the processes below `root` that are in this process group.

    A process that has ended has no children. It is asked for none: a bot may leave hundreds of such
    processes.
    """
    parents = [root]
    while parents:
        for pid in children(parents.pop()):
            fields = _stat(pid)
            if not fields:
                continue
            if fields[0] != b"Z" or _left_threads(fields):
                parents.append(pid)
            if int(fields[2]) == leader:
                yield pid


def children(pid: int) -> list[int]:
    """Return the processes that any thread of this process started, or adopted."""
    pids: list[int] = []
    for _, text in threads(pid, "children"):
        pids += map(int, text.split())
    return pids


def all_processes() -> list[int]:
    """Return every process that /proc shows."""
    if not os.path.isdir(PROC):
        return []
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]


def environment(pid: int) -> bytes:
    """Return the environment of a process as it is in its memory.

    It is empty when the process is gone, or another user's.
    """
    with contextlib.suppress(OSError):
        return _read(f"{PROC}/{living(pid)}/environ")
    return b""


def network(pid: int) -> str:
    """Return the name of the network of a process; empty where nobody may know it."""
    with contextlib.suppress(OSError):
        return os.readlink(f"{PROC}/{pid}/ns/net")
    return ""


def below(root: int) -> Iterator[int]:
    """Yield the processes below `root` that have given up new privileges for good."""
    parents = [root]
    while parents:
        for pid in children(parents.pop()):
            parents.append(pid)
            if cannot_gain_privileges(pid):
                yield pid


def cannot_gain_privileges(pid: int) -> bool:
    """Return whether a process has given up new privileges (no_new_privs) for good."""
    return bool(_number(f"{PROC}/{pid}/status", b"NoNewPrivs:"))
