"""The meter: reads from outside how much CPU a bot used, and how long it waited for a core.

Theory of operation
-------------------

CPU time. Every process has a CPU clock that any other process can read with one system call: its id
is made from the process id (clock_getcpuclockid(3)). It covers all threads, but no children. For a
bot that may fork, `group` lists its processes, and the meter adds them up; a child that ended
between two readings and that nobody reaped is lost. Where the bot has a cgroup, the kernel counts
all of them, and nothing is lost (`counted`, `complete`). Where its forks are counted, `family.py`
knows when nothing can be lost.

Waiting time. /proc/PID/schedstat has the time for which a thread was ready to run and had no core.
This is what the machine took from the bot, and it is excused (clock.py). It is a figure of one
thread: the file of the process is that of its first thread. Reading every thread costs a file each,
so other threads are looked at only by `survey`, now and then and before a verdict, and `mark` skips
them for as long as none was ever seen.

Threads wait together for other processes, and for one another while one of them computes. A crowd
of threads could add that up to any sum. `waited` therefore counts the two longest waits only: of a
thread that hands over and of one that answers. From them it takes the CPU time in which one may
have waited for the other.

Late reports. A wait appears in schedstat when it is over, so a bot that waits right now seems not
to. `unreported_wait` returns the upper bound of that: the time since the bot was last seen to run,
if a thread of it is ready. A process that has used CPU since the last call ran in between, so the
kernel has reported its earlier waits.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from arena.sandbox.procfs import READY, cpu_clock, see, states, threads
from arena.system import PROC

SCHEDSTAT_BYTES = 64


class Usage(NamedTuple):
    """Seconds since the process started."""

    cpu: float = 0.0
    """The CPU time of all its threads; of all its processes, where it may have several."""
    waited: float = 0.0
    """The time for which its first thread was ready to run, but had no core."""


class Meter:
    """Reads one process.

    A process that is gone, or not there yet, reads as its last known usage.
    """

    def __init__(
        self,
        find: Callable[[], int | None],
        group: Callable[[], Iterable[int]] | None = None,
        counted: Callable[[], float] | None = None,
    ) -> None:
        """`find` returns the process's id; it is called until there is one.

        `group` lists the process with those that it forked, whose CPU time counts, and whose waits
        do not. `counted` returns the CPU seconds of all that were ever among them, where the kernel
        counts them together.
        """
        self._find = find
        self._group = group
        self._counted = counted
        self._counted_before = 0.0
        """CPU seconds that bwrap used in its cgroup before it was there."""
        self._pid = 0
        self._clock = 0
        self.last = Usage()
        self._schedstat: int | None = None
        self._alive = True
        self._own_cpu = 0.0
        """CPU seconds of this one process, whatever it forked."""
        self._cpu_by_process: dict[int, float] = {}
        """CPU seconds of every process of the group that was ever seen, also of those that
        ended."""
        self._waited_at_mark = 0.0
        """Seconds that its first thread had waited at the mark."""
        self._schedstat_at_mark = b""
        """The schedstat at the mark, as it was read: for most answers nobody needs the figure."""
        self.has_threads = False
        """Whether threads beside the first were ever seen."""
        self._thread_waited_at_mark: dict[str, float] = {}
        self._thread_waits: dict[str, float] = {}
        """Seconds that threads beside the first have waited since the mark, also those that ended
        meanwhile."""
        self._ran = self._last_call = self._cpu_at_last_call = 0.0
        """For `unreported_wait`: a moment when it ran, the moment of the last call, and its CPU
        seconds then."""

    @property
    def complete(self) -> bool:
        """Return whether it counts all CPU time of the bot.

        A child of a bot of several processes can end between two readings, and its CPU time is
        lost. So such a bot may keep itself waiting, by children that take its core and are never
        seen. Then no wait is a proof (`family.py`).
        """
        return self._group is None or self._counted is not None

    @property
    def alive(self) -> bool:
        """Return whether the last reading found the process."""
        return self._alive

    @property
    def own_cpu(self) -> float:
        """Return the CPU seconds of this one process at the last reading, whatever it forked."""
        return self._own_cpu

    @property
    def of_one_process(self) -> bool:
        """Return whether the bot is one process, whose own clock shows all its CPU time."""
        return self._group is None

    def read(self) -> Usage:
        """Return the usage now."""
        if self._alive and not self._clock:
            self._begin()
        if self._alive and self._clock:
            try:
                cpu = self._own_cpu = time.clock_gettime_ns(self._clock) / 1e9
                if self._counted is not None:
                    cpu = max(cpu, self._counted() - self._counted_before)
                elif self._group is not None:
                    cpu = max(cpu, self._cpu_of_group(self._group()))
                waited = 0.0
                if self._schedstat is not None:
                    waited = _waited(os.pread(self._schedstat, SCHEDSTAT_BYTES, 0))
                self.last = Usage(cpu, waited)
            except OSError:
                self._alive = False
        return self.last

    def since_read(self) -> float:
        """Return the CPU seconds that its first process used since the last reading.

        0 if it is gone.
        """
        if not self._clock or not self._alive:
            return 0.0
        try:
            return time.clock_gettime_ns(self._clock) / 1e9 - self._own_cpu
        except OSError:
            return 0.0

    def mark(self) -> None:
        """Count waits from now on.

        Threads beside the first cost nothing where none were ever seen.
        """
        self._ran = self._last_call = time.monotonic()
        self._cpu_at_last_call = self._own_cpu
        self._waited_at_mark = self.last.waited
        if self._schedstat is not None:
            # It is read again: since it was read after the last answer, the bot may have waited for
            # a core in order to be stopped.
            try:
                self._schedstat_at_mark = os.pread(self._schedstat, SCHEDSTAT_BYTES, 0)
            except OSError:
                self._alive = False
        self._thread_waits.clear()
        if self.has_threads:
            self._thread_waited_at_mark = dict(self._other_threads())

    def survey(self, elapsed: float) -> None:
        """Look at its threads, this number of seconds after the mark.

        No thread can have waited for longer than that. The figure of the first thread can be
        higher: a thread that calls exec becomes the first, and keeps all its earlier waiting time.
        """
        if self._schedstat_at_mark:
            self._waited_at_mark = _waited(self._schedstat_at_mark)
            self._schedstat_at_mark = b""
        self._waited_at_mark = max(self._waited_at_mark, self.read().waited - elapsed)
        for thread, waited in self._other_threads():
            self.has_threads = True
            before = self._thread_waited_at_mark.setdefault(thread, max(0.0, waited - elapsed))
            self._thread_waits[thread] = waited - before

    def waited(self, cpu: float) -> float:
        """Return the seconds that the machine kept it waiting since the mark, as surveyed.

        That is the sum of the two longest waits, less the `cpu` seconds in which one of these
        threads may have waited for the other; or the longest alone.
        """
        longest, second = self.waits()[:2]
        return max(longest, longest + second - cpu)

    def waits(self) -> list[float]:
        """Return the seconds that each of its threads has waited since the mark.

        The longest wait is first, and 0 is last.
        """
        first = self.last.waited - self._waited_at_mark
        waits = [first, 0.0]
        waits += self._thread_waits.values()
        return sorted(waits, reverse=True)

    def unreported_wait(self, now: float) -> float:
        """Return the most seconds that it may have waited and that the kernel has not reported.

        `now` is monotonic. With several threads, only the thread that ran is sure to have its waits
        reported.
        """
        if self._own_cpu > self._cpu_at_last_call:
            self._ran = self._last_call
            self._cpu_at_last_call = self._own_cpu
        self._last_call = now
        if self._alive and READY in states(self._pid):
            return now - self._ran
        return 0.0

    def note_processes(self) -> None:
        """Take note of which processes the bot has, while it is frozen.

        A meter of one process knows that.
        """

    def close(self) -> None:
        """Stop reading."""
        self._alive = False
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None

    def _begin(self) -> None:
        self._pid = self._find() or 0
        if not self._pid:
            return
        self._clock = cpu_clock(self._pid)
        with contextlib.suppress(OSError):  # a kernel without schedstats
            self._schedstat = os.open(f"{PROC}/{self._pid}/schedstat", os.O_RDONLY)
        if self._counted is not None:
            with contextlib.suppress(OSError):
                own_cpu = time.clock_gettime_ns(self._clock) / 1e9
                self._counted_before = max(0.0, self._counted() - own_cpu)

    def _cpu_of_group(self, group: Iterable[int]) -> float:
        """Return the CPU seconds of a group.

        The sum never falls, though a process may end before it was read.
        """
        living = 0.0
        for pid in group:
            process = see(pid)
            if process is not None:
                living += process.cpu
                self._cpu_by_process[pid] = process.own_cpu
        return max(living, sum(self._cpu_by_process.values()))

    def _other_threads(self) -> Iterator[tuple[str, float]]:
        """Yield each thread but the first, with the seconds that it has waited in its life."""
        if self._alive and self._schedstat is not None:
            for thread, schedstat in threads(self._pid, "schedstat", but=self._pid):
                yield thread, _waited(schedstat)


class Delay:
    """The time for which this very thread, the referee's, is ready and has no core."""

    def __init__(self) -> None:
        self._schedstat: int | None = None
        self._mark = b""
        with contextlib.suppress(OSError):  # a kernel without schedstats
            self._schedstat = os.open(f"{PROC}/thread-self/schedstat", os.O_RDONLY)

    def mark(self) -> None:
        """Count from now on; it costs a microsecond."""
        if self._schedstat is not None:
            self._mark = os.pread(self._schedstat, SCHEDSTAT_BYTES, 0)

    def since(self) -> float:
        """Return the seconds since the mark."""
        if self._schedstat is None:
            return 0.0
        return _waited(os.pread(self._schedstat, SCHEDSTAT_BYTES, 0)) - _waited(self._mark)

    def close(self) -> None:
        """Stop reading."""
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None


def _waited(schedstat: bytes) -> float:
    _, waiting_ns, _ = schedstat.split()  # nanoseconds of running and of waiting, slices
    return int(waiting_ns) / 1e9
