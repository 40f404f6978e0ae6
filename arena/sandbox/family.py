"""The meter of a bot of several processes: its waits count where none can have run unseen.

Theory of operation
-------------------

The danger. A bot could keep its own first process waiting, by children that take its core. Where
such a child ends between two readings, its CPU time may be lost: the kernel adds it to nobody's
where the parent ignores SIGCHLD, or set SA_NOCLDWAIT. So a wait is a proof only where no process
of the bot was made or ended since its processes were listed.

The proof. `Forks.count` rises before a process is made. The processes are listed while the bot is
frozen (`note_processes`), and the list holds until the count rises, or one of them is gone. It is
made only when every thread in it is stopped: a thread that stops in the middle of a fork leaves
it, and asks anew when it was woken. A bot that was never frozen has its list from the start, with
one process; its first fork ends that. So the turns of a bot that forks rarely are certain, and no
turn is in which it forked.

The wait. Processes wait together for others, and for one another, as threads do (`meter.py`). One
process may have waited for what the others computed, so their CPU time is taken from its wait.
The two longest waits of all threads count, less all CPU time, since one process may hand over to
another. What the bot's processes use is known here to the nanosecond, so a wait never buys CPU
time.

What else was tried or considered, to know that nothing was forked:

- the count of all forks of the machine (/proc/stat): other lanes fork
- numbers of processes: a namespace of its own, as at bubblewrap, shows its last number inside
  only
- what SIGCHLD does: /proc shows whether it is ignored, and not SA_NOCLDWAIT. Asking before
  `rt_sigaction` instead of before a fork would delay fewer calls, but Bash, Node, Java and Go
  make it at each start
- RLIMIT_NPROC: it forbids and does not count, and counts for all bots of a user
- taskstats, process events, perf events: they need privileges, or settings that most systems do
  not have
- cpu.stat of a cgroup counts everything, and is used where one is delegated (`cgroup.py`)
"""

from collections.abc import Callable, Iterable

from arena.sandbox.forks import Forks
from arena.sandbox.meter import Meter
from arena.sandbox.procfs import STOPPED, see, states


class FamilyMeter(Meter):
    """Reads a bot of several processes whose forks are counted."""

    def __init__(
        self,
        find: Callable[[], int | None],
        group: Callable[[], Iterable[int]],
        counted: Callable[[], float] | None,
        forks: Forks,
    ) -> None:
        """The arguments are those of `Meter`, and the count of the bot's forks."""
        super().__init__(find, self._listed, counted)
        self._processes = group
        self._forks = forks
        self._noted = 0
        """The count of forks up to which all processes are known."""
        self._members: dict[int, Meter] = {}
        """A meter for each process, by its number."""
        self._cpu_at_mark: dict[int, float] = {}
        self._one_ended = False
        """Whether one of them was seen to have ended since they were noted."""

    @property
    def complete(self) -> bool:
        """Return whether no CPU time since the last reading but one can be missing."""
        return self._counted is not None or self.knows_all

    @property
    def knows_all(self) -> bool:
        """Return whether the bot has had no other processes than those that were noted."""
        return self._forks.count == self._noted and bool(self._members) and not self._one_ended

    def note_processes(self) -> None:
        """List the processes of a frozen bot, unless they are known."""
        if self.knows_all:
            return
        count = self._forks.count
        pids = self._living()
        for pid in pids:
            if any(state not in STOPPED for state in states(pid)):
                return
        if self._living() == pids:
            self._know(pids)
            self._noted = count

    def mark(self) -> None:
        """Count waits from now on."""
        super().mark()
        if not self._members:
            pid = self._find()
            if pid is None:
                self._know([])
            else:
                self._know([pid])
        for pid, meter in self._members.items():
            self._cpu_at_mark[pid] = meter.read().cpu
            meter.mark()

    def survey(self, elapsed: float) -> None:
        """Look at the threads of its processes, this number of seconds after the mark."""
        super().survey(elapsed)
        for pid, meter in self._members.items():
            meter.survey(elapsed)
            if not meter.alive or see(pid) is None:
                self._one_ended = True

    def waited(self, cpu: float) -> float:
        """Return the seconds that the machine kept it waiting since the mark, as surveyed.

        Where not all of its processes are known, no wait counts, or those of its first process, if
        no CPU time can be missing.
        """
        if not self.knows_all:
            if not self.complete:
                return 0.0
            return super().waited(cpu)
        used: dict[int, float] = {}
        for pid, meter in self._members.items():
            used[pid] = meter.own_cpu - self._cpu_at_mark.get(pid, 0.0)
        total = max(cpu, sum(used.values()))
        all_waits = [0.0]
        alone = 0.0
        for pid, meter in self._members.items():
            waits = meter.waits()
            cpu_of_others = total - used[pid]
            alone = max(alone, waits[0] - cpu_of_others)
            all_waits += waits
        longest, second = sorted(all_waits, reverse=True)[:2]
        return max(alone, longest + second - total)

    def unreported_wait(self, now: float) -> float:
        """Return the most seconds that one of its processes may have waited, not yet reported."""
        if not self.knows_all:
            return super().unreported_wait(now)
        return max(meter.unreported_wait(now) for meter in self._members.values())

    def close(self) -> None:
        """Stop reading."""
        super().close()
        self._know([])

    def _living(self) -> list[int]:
        """Return the processes of the bot that have not ended."""
        return [pid for pid in self._processes() if see(pid) is not None]

    def _listed(self) -> Iterable[int]:
        """Return the processes whose CPU time counts.

        A list that is made while they run may lack one.
        """
        if self.knows_all:
            return self._members
        return self._processes()

    def _know(self, pids: list[int]) -> None:
        """Have a meter for each of these processes, and for no others."""
        self._one_ended = False
        gone = self._members.keys() - set(pids)
        for pid in gone:
            self._members.pop(pid).close()
        for pid in pids:
            if pid not in self._members:
                self._members[pid] = _meter_of(pid)


def _meter_of(pid: int) -> Meter:
    meter = Meter(lambda: pid)
    meter.read()
    return meter
