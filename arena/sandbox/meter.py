"""What a process uses, read from outside in a microsecond: its CPU clock and its wait for a core."""

import contextlib
import os
import time
from collections.abc import Callable
from typing import NamedTuple


class Usage(NamedTuple):
    """Seconds since the process started."""

    cpu: float = 0.0
    waited: float = 0.0
    """Ready to run, but without a core; of all its threads, as of the last survey for all but the first."""


class Meter:
    """Reads one process; a process that is gone, or not there yet, reads as its last known usage."""

    def __init__(self, find: Callable[[], int | None]) -> None:
        """`find` tells the process's id; it is asked until there is one."""
        self._find = find
        self._pid = self._clock = 0
        self.last = Usage()
        self._schedstat: int | None = None
        self._alive = True
        self._others = 0.0
        """Seconds that threads other than the first have waited."""
        self._seen: dict[str, float] = {}

    def read(self) -> Usage:
        """The usage now."""
        if self._alive and not self._clock:
            self._begin()
        if self._alive and self._clock:
            try:
                cpu = time.clock_gettime_ns(self._clock)
                waited = 0.0 if self._schedstat is None else _waited(os.pread(self._schedstat, 64, 0))
                self.last = Usage(cpu / 1e9, waited + self._others)
            except OSError:
                self._alive = False
        return self.last

    def survey(self) -> None:
        """Look at the threads beside the first, which costs more: now and then, and before a verdict."""
        if not self._alive or self._schedstat is None:
            return
        with contextlib.suppress(OSError):  # gone meanwhile
            tasks = os.listdir(f"/proc/{self._pid}/task")
            if len(tasks) > 1:
                for task in tasks:
                    if task != str(self._pid):
                        self._add(task)

    def close(self) -> None:
        """Stop reading."""
        self._alive = False
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None

    def _begin(self) -> None:
        self._pid = self._find() or 0
        if self._pid:
            self._clock = ~self._pid << 3 | 2  # clock_getcpuclockid(3): the CPU clock of a whole process
            with contextlib.suppress(OSError):  # a kernel without schedstats
                self._schedstat = os.open(f"/proc/{self._pid}/schedstat", os.O_RDONLY)

    def _add(self, task: str) -> None:
        with contextlib.suppress(OSError), open(f"/proc/{self._pid}/task/{task}/schedstat", "rb") as schedstat:
            waited = _waited(schedstat.read(64))
            self._others += max(0.0, waited - self._seen.get(task, 0.0))
            self._seen[task] = waited


class Delay:
    """How long this very thread is kept without a core, although it is ready."""

    def __init__(self) -> None:
        self._schedstat: int | None = None
        self._mark = b""
        with contextlib.suppress(OSError):  # a kernel without schedstats
            self._schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY)

    def mark(self) -> None:
        """From now on; it costs a microsecond."""
        if self._schedstat is not None:
            self._mark = os.pread(self._schedstat, 64, 0)

    def since(self) -> float:
        """Seconds since the mark."""
        return 0.0 if self._schedstat is None else _waited(os.pread(self._schedstat, 64, 0)) - _waited(self._mark)

    def close(self) -> None:
        """Measure no more."""
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None


def _waited(schedstat: bytes) -> float:
    return int(schedstat.split()[1]) / 1e9  # "run waiting slices", nanoseconds
