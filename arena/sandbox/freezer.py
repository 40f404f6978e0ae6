"""The freezer: stops a bot when it has answered, and keeps it stopped while others think.

Theory of operation
-------------------

The race. SIGSTOP alone is not certain. The kernel notes the signal, and each thread of the bot
stops when it next looks for signals. A SIGCONT that arrives before that cancels the stop. A bot
that sent SIGCONT to itself in a loop, from a thread or from a second process, escaped more than
half of its stops. The seccomp filter refuses that call at landlock and bubblewrap; at the other
levels, and where an organiser allows more calls, the race remains.

Verification. To look whether every thread has stopped costs 10 to 50 microseconds, of 40 that a
whole turn takes (benchmarks/turns.py). So a stop is verified at once only for a bot that is
`doubted`:

- it may have several processes (where it may have one and nothing keeps it from a second, the
  watchdog ends it);
- it used more CPU time than time passed;
- it used more than RESTLESS_S of CPU time while it was frozen, which `thaw` sees in its CPU clock;
- a look found it awake.

polling.py looks at all other frozen bots every 25 ms (WATCHDOG_INTERVAL_S) while another bot
thinks. To look every 2 ms was tried, and a turn then took about twice as long; it seems that a
virtual machine pays for a wait that is shorter than its timer tick. So a bot can run on once, for
as long as a quick opponent thinks, or for those 25 ms. The CPU time that it uses then is charged to
its next answer (stopwatch.py). When a bot is frozen is decided in polling.py.

Enforcement. `insist` sends bursts of stop signals until all threads have stopped, with longer and
longer pauses, and gives up after PATIENCE_S: a thread that has no core cannot stop, and cannot do
harm either. Where the bot has a cgroup, the freezer of the cgroup does it instead: no signal undoes
that.
"""

import time

from arena.sandbox import procfs
from arena.sandbox.child import Child
from arena.sandbox.meter import Meter

RESTLESS_S = 0.001
"""CPU time that a bot may use between its answer, when its clock is read, and its stop. If it uses
more, it ran on."""
BURST = 20
"""Stop signals in one attempt: with 30 threads that send SIGCONT, 9 of 10 stops then held within 4
ms, instead of 20."""
PATIENCE_S = 0.1
"""The time after which `insist` gives up."""
PAUSE_S = 0.00005
"""The pause between the first two attempts. On a shared core the bot needs it in order to stop."""
PAUSE_GROWTH = 1.25
"""Each pause is longer than the last, because a bot that is busy in the kernel cannot stop before
it is done, and our attempts would take the core of the bot that thinks."""
LOOKS_APART = 4
"""How many times longer than a look the pause after it is, at least: a bot of many threads makes a
look long."""
STILL = (*procfs.STOPPED, b"D")
"""The states of a thread that does nothing. A thread that waits for the kernel (D), as a parent
does in vfork while its child lives, stops when that is over: its stop signal is pending."""


class Freezer:
    """Stops and wakes one bot."""

    def __init__(self, child: Child, meter: Meter) -> None:
        self._child = child
        self._meter = meter
        self.doubted = not meter.of_one_process
        """Whether every stop is verified."""

    def freeze(self) -> None:
        """Stop the bot and all that it forked, until `thaw`."""
        self._child.freeze()
        if self.doubted:
            self.insist()

    def thaw(self) -> None:
        """Let the bot run again, and doubt it if it has run meanwhile."""
        if not self.doubted and self._meter.since_read() > RESTLESS_S:
            self.doubted = True
        if self.doubted:  # now rather than in `freeze`: a thread that has no core stops late
            self._meter.note_processes()
        if self._child.cgroup is not None:
            self._child.cgroup.thaw()
        self._child.thaw()

    def look(self) -> None:
        """If a frozen bot is awake, doubt it and freeze it again."""
        in_frozen_cgroup = self._child.cgroup is not None and self._child.cgroup.frozen
        if not in_frozen_cgroup and not self._stopped():
            self.doubted = True
            self.insist()

    def insist(self) -> None:
        """Stop the bot again and again until it has stopped, for PATIENCE_S at most."""
        if self._child.cgroup is not None:
            self._child.cgroup.freeze()
            return
        begun = time.monotonic()
        until = begun + PATIENCE_S
        pause = PAUSE_S
        while not self._stopped():
            now = time.monotonic()
            if now >= until:
                return
            for _ in range(BURST):
                self._child.freeze()
            look_s = now - begun
            pause = max(PAUSE_GROWTH * pause, LOOKS_APART * look_s)
            time.sleep(pause)
            begun = time.monotonic()

    def _stopped(self) -> bool:
        """Return whether every thread of the bot is stopped.

        Of several processes, one that was stopped at the first look may be woken by the next one,
        so all of them are looked at twice.
        """
        pids = tuple(self._child.processes())
        looks = pids if len(pids) < 2 else pids * 2
        for pid in looks:
            for state in procfs.states(pid):
                if state not in STILL:
                    return False
        return True
