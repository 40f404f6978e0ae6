"""What a process uses, read from outside in a microsecond: its CPU clock and its wait for a core."""

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Seconds since the process started."""

    cpu: float = 0.0
    waited: float = 0.0
    """Ready to run, but without a core."""

    def since(self, earlier: "Usage") -> "Usage":
        """What was used after an earlier reading; never negative, also when the process is gone meanwhile."""
        return Usage(max(0.0, self.cpu - earlier.cpu), max(0.0, self.waited - earlier.waited))


class Meter:
    """Reads one process; a process that is gone, or not there yet, reads as its last known usage."""

    def __init__(self, find: Callable[[], int | None]) -> None:
        """`find` tells the process's id; it is asked until there is one."""
        self._find = find
        self._clock = 0
        self._last = Usage()
        self._schedstat: int | None = None
        self._alive = True

    def read(self) -> Usage:
        """The usage now."""
        if self._alive and not self._clock:
            self._begin()
        if self._alive and self._clock:
            try:
                self._last = Usage(time.clock_gettime_ns(self._clock) / 1e9, self._waited())
            except OSError:
                self._alive = False
        return self._last

    def _begin(self) -> None:
        pid = self._find()
        if pid:
            self._clock = ~pid << 3 | 2  # clock_getcpuclockid(3): the CPU clock of a whole process
            with contextlib.suppress(OSError):  # a kernel without schedstats
                self._schedstat = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)

    def close(self) -> None:
        """Stop reading."""
        self._alive = False
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None

    def _waited(self) -> float:
        if self._schedstat is None:
            return 0.0
        return int(os.pread(self._schedstat, 64, 0).split()[1]) / 1e9  # "run waiting slices", nanoseconds
