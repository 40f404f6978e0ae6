"""The CPU time and the memory that a bot used in one match, as its record has them.

It knows where these figures come from at each level of confinement. It knows no limit and no line
of a bot.
"""

# At nearly all levels the exit status of the process has both figures (wait4). There are three
# exceptions:
#
#   - At bubblewrap that is the exit status of bwrap alone, and the bot's own process is gone by
#     then. So the figures are read while it is there: before its end, and by every look of the
#     watchdog.
#   - The memory in the exit status is the most that the process ever had, also before it became the
#     bot's program by exec, when it was a fork of the spawner. So the memory of a cold start is
#     read before its end, too. If a program has ended by itself, its figure is that of the spawner
#     where that one is larger.
#   - A reused process has played before. What it used in earlier matches is subtracted.

from dataclasses import replace

from arena.sandbox import procfs
from arena.sandbox.child import Child, Exit
from arena.sandbox.meter import Meter, Usage
from arena.sandbox.watchdog import Watchdog


class Consumption:
    """The figures of one process in one match."""

    def __init__(
        self,
        child: Child,
        meter: Meter,
        watchdog: Watchdog,
        *,
        reused: bool,
    ) -> None:
        self._child = child
        self._meter = meter
        self._watchdog = watchdog
        self.before = Usage()
        """What the process used in earlier matches."""
        if reused:
            self.before = meter.read()
        self._inside = child.level.wrapped
        self._exec = self._inside or not child.spec.warm
        self._resident_peak = 0

    def note(self) -> None:
        """Read the figures that the exit status will not have, shortly before the end."""
        if self._inside:
            self._meter.read()
        if self._exec:
            peak = self._peak()
            self._resident_peak = max(self._resident_peak, peak)

    def at_exit(self, end: Exit) -> Exit:
        """Return the exit with the bot's own figures."""
        memory = max(self._resident_peak, self._watchdog.peak)
        if self._inside:
            last = self._meter.last
            return replace(end, cpu=last.cpu, memory=memory)
        if self._resident_peak:
            return replace(end, memory=memory)
        return end

    def at_stay(self) -> Exit:
        """Return the figures of a bot that stays for its next match, as if it had left."""
        used = self._meter.read()
        return Exit(
            0,
            killed=False,
            cpu=used.cpu,
            memory=self._peak(),
        )

    def cpu(self, end: Exit) -> float:
        """Return the CPU seconds of this match."""
        return max(0.0, end.cpu - self.before.cpu)

    def _peak(self) -> int:
        pid = self._child.program() or 0
        own_peak = procfs.peak(pid) - self._child.inherited
        return max(0, own_peak)
