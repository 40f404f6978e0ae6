"""What a process uses, read from outside in a microsecond: its CPU clock and its wait for a core."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from arena.sandbox.procfs import READY, see, states, threads


class Usage(NamedTuple):
    """Seconds since the process started."""

    cpu: float = 0.0
    """Of all its threads; of all its processes, where it may have several."""
    waited: float = 0.0
    """Ready to run, but without a core: its first thread."""


class Meter:
    """Reads one process; a process that is gone, or not there yet, reads as its last known usage."""

    def __init__(self, find: Callable[[], int | None], group: Callable[[], Iterable[int]] | None = None) -> None:
        """`find` tells the process's id; it is asked until there is one.

        `group` lists it with those that it forked, whose CPU time counts, and whose waits do not.
        """
        self._find = find
        self._group = group
        self._pid = self._clock = 0
        self.last = Usage()
        self._schedstat: int | None = None
        self._alive = True
        self._clocked = 0.0
        """CPU seconds of this one process, whatever it forked."""
        self._each: dict[int, float] = {}
        """CPU seconds of every process of the group that was ever seen, also of those that ended."""
        self._base = 0.0
        """What its first thread had waited at the mark."""
        self._crowd = False
        """Whether threads beside the first were ever seen."""
        self._before: dict[str, float] = {}
        self._waits: dict[str, float] = {}
        """What threads beside the first had waited at the mark, and have since; also those that ended meanwhile."""
        self._ran = self._asked = self._cpu = 0.0
        """When it has run for sure, when that was last asked (monotonic), and the CPU seconds since the mark then."""

    def read(self) -> Usage:
        """The usage now."""
        if self._alive and not self._clock:
            self._begin()
        if self._alive and self._clock:
            try:
                cpu = self._clocked = time.clock_gettime_ns(self._clock) / 1e9
                if self._group is not None:
                    cpu = max(cpu, self._together(self._group()))
                waited = 0.0 if self._schedstat is None else _waited(os.pread(self._schedstat, 64, 0))
                self.last = Usage(cpu, waited)
            except OSError:
                self._alive = False
        return self.last

    def mark(self) -> None:
        """Waits count from now on. Threads beside the first cost nothing where none were ever seen."""
        self._ran = self._asked = time.monotonic()
        self._cpu, self._base = self._clocked, self.last.waited
        self._waits.clear()
        if self._crowd:
            self._before = dict(self._others())

    def survey(self, elapsed: float) -> None:
        """Look at its threads, so many seconds after the mark: now and then, and before a verdict.

        None is believed to have waited for longer than that: one that calls exec becomes the first, with all its past.
        """
        self._base = max(self._base, self.read().waited - elapsed)
        for task, waited in self._others():
            self._crowd = True
            before = self._before.setdefault(task, max(0.0, waited - elapsed))
            self._waits[task] = waited - before

    def waited(self, cpu: float) -> float:
        """Seconds that the machine kept it waiting since the mark, as far as it was surveyed.

        Threads wait together for others, and for one another while one computes: a crowd of them could add that up to
        any sum. So the two longest waits count, of a thread that hands over and of one that answers, without the `cpu`
        seconds in which one may have waited for the other; or the longest alone.
        """
        first = self.last.waited - self._base
        longest, second = sorted([first, 0.0, *self._waits.values()], reverse=True)[:2]
        return max(longest, longest + second - cpu)

    def untold(self, now: float) -> float:
        """Seconds that it may have waited for a core until now (monotonic) at most, and that no figure has yet.

        The kernel tells of a thread's wait when it is over. A process that has used more CPU since the last time that
        this was asked, or since the mark, has been told of then: of several threads, the one that ran.
        """
        if self._clocked > self._cpu:
            self._ran, self._cpu = self._asked, self._clocked
        self._asked = now
        return now - self._ran if self._alive and READY in states(self._pid) else 0.0

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

    def _together(self, group: Iterable[int]) -> float:
        """CPU seconds of a group; it never falls, though some of it may end before anybody has counted them."""
        living = 0.0
        for pid in group:
            if (seen := see(pid)) is not None:
                living += seen.cpu
                self._each[pid] = seen.own
        return max(living, sum(self._each.values()))

    def _others(self) -> Iterator[tuple[str, float]]:
        """The threads beside the first, and how long each has waited since it was born."""
        if self._alive and self._schedstat is not None:
            for task, told in threads(self._pid, "schedstat", but=self._pid):
                yield task, _waited(told)


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
