"""Time as arithmetic: what a role may use, what an answer cost, and what is left.

It never reads the time. polling.py and stopwatch.py measure; this file computes what follows from
their figures: the deadline, the lateness of the referee, the seconds that are charged, and whether
an answer is too late.
"""

# Theory of operation
# -------------------
# Four readings belong to an answer:
#
#   wall          monotonic clock, from just before the question is written until the referee has
#                 seen the answer
#   cpu           CPU clock of the bot's process, or the sum over its processes (sandbox/meter.py),
#                 since its last answer was read: what it used before it was asked counts too,
#                 unless the event does not freeze bots
#   waited        /proc/PID/schedstat: how long the bot's threads were ready to run but had no core
#                 (sandbox/meter.py)
#   referee_late  how long the answer was there before the referee read it (sandbox/timed_pipe.py),
#                 and how long the referee stood still before that, because it was stopped from
#                 outside
#
# The bot is charged the wall time without `waited` and `referee_late`, because on a busy machine
# these are the doing of other programs. It is never charged less than its CPU time: a second in
# which it computed is no second of waiting, so neither figure can buy a bot time to think, asked or
# not. A wait for the disk is charged, since the kernel's figures do not tell it from a sleep that
# the bot wanted. Three cases have rules of their own:
#
#   - A bot of several processes could keep itself waiting, by children that take the cores and end
#     before anybody counts them. It is excused its waits for a core only in answers in which arena
#     knows all of its processes (sandbox/family.py).
#   - Where the kernel does not note when an answer is written, nobody knows how long it was there.
#     Then the whole wait of a referee that looks late is excused, or at least what the referee
#     waited for a core (stopwatch.py).
#   - A wait is excused without limit only until ABORT_FACTOR times the deadline. Then the match is
#     aborted and played again.
#
# Why the time of the write decides. A referee that has no core sees an answer late, and cannot tell
# afterwards when it came. Other evidence was tried or considered:
#
#   - the referee's own wait for a core: it covers the time before the answer, too, through which
#     the bot may have slept
#   - the last moment at which the bot ran (/proc/PID/sched): its clock is not ours, and a bot may
#     run after its answer
#   - how often the bot slept (voluntary switches): exact for one thread, but most runtimes have
#     several
#   - whether the bot was asleep when the referee looked: a crowded referee looks once in a hundred
#     milliseconds
#   - a time stamp of the kernel (SO_TIMESTAMP): sockets of streams have none, and many bots expect
#     a pipe
#
# The words, in the order in which they follow from each other:
#
#   announced   the seconds that the bot is told it has: `move` and what is left in its bank, or
#               `start`
#   deadline    the most seconds that an answer may be charged: announced + margin. `due` in
#               stopwatch.py is a moment
#   spent       the four readings above (TimeUsed)
#   excused     the part of the wall time in which the machine kept bot or referee waiting
#   fair        wall time - excused, but at least the CPU time
#   charged     what is compared with the deadline and taken from the bank: `fair`, or less with
#               `clock = "cpu"`
#
# A short answer took at most SHORT_ANSWER_S, on the wall and of CPU time. Nobody is charged with
# more than the longer of these two. So where `move` is as long, a short answer is in time and
# leaves the bank as it was, whatever the machine did meanwhile.
#
# Floating-point sums decide nothing: an answer is too late only when it is charged ROUNDING_S more
# than its deadline.

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

ABORT_FACTOR = 20
"""How many times its deadline an answer may take on the wall, however little of it is charged."""
SHORT_ANSWER_S = 0.001
"""An answer is short that took no longer, neither on the wall nor of CPU time."""
ROUNDING_S = 1e-9
"""The largest error of sums and differences of clock readings: nobody loses by so little."""
WALL_PER_CPU_S = 10
"""With `clock = "cpu"`, this number of seconds on the wall counts as one second of CPU, so that a
bot that sleeps loses in the end."""


def lateness(now: float, planned: float) -> float:
    """Return by how many seconds the referee looks later than it planned to."""
    return now - planned if now > planned else 0.0


def referee_lateness(late_looks: float, without_core: float) -> float:
    """Return how long the referee was late, by its late looks and by its wait for a core.

    A look is late mostly because the referee has no core, so these are the same seconds: the longer
    counts, no sum.
    """
    return max(late_looks, without_core)


def stood_still(late_looks: float, without_core: float) -> float:
    """Return how long the referee stood still because something outside stopped it.

    That is a signal, or the machine's host.

    A look may also be late for want of a core. That takes nothing from a bot whose answer is not
    there even then.
    """
    return max(0.0, late_looks - without_core)


class TimeUsed(NamedTuple):
    """The readings of one answer, in seconds."""

    wall: float = 0.0
    """From `go` to the moment at which the answer was read."""
    cpu: float = 0.0
    """CPU time of the bot's process since its last answer, also while it was not asked."""
    waited: float = 0.0
    """How long the bot's threads were ready, but had no core."""
    referee_late: float = 0.0
    """How long the answer was there unread, and how long the referee stood still before. The bot's
    own lateness shows in `wall` and `cpu`."""

    def plus(self, more: "TimeUsed") -> "TimeUsed":
        """Return the readings of two parts of an answer together."""
        return TimeUsed(
            self.wall + more.wall,
            self.cpu + more.cpu,
            self.waited + more.waited,
            self.referee_late + more.referee_late,
        )

    def excused(self, threads: int = 1) -> float:
        """Return how much of the time on the wall the machine kept bot or referee waiting.

        CPU time is no wait.
        """
        without_cpu = max(0.0, self.wall - self.cpu / threads)
        return min(self.waited + self.referee_late, without_cpu)

    def fair(self, threads: int = 1) -> float:
        """Return the time on the wall that is not excused, but no less than the bot's CPU time.

        A bot whose bot.toml says `threads = N` may use N seconds of CPU in each second. All others
        are charged the CPU time of all their threads, because two threads on two cores would
        otherwise have twice the time of one.
        """
        return max(self.cpu / threads, self.wall - self.excused(threads))


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """How long a bot may take, in seconds. None = no limit.

    Give a new field the metadata ADDED_LATER (identity.py).
    """

    start: float | None = 5.0
    """From `ready?` to `ready`."""
    move: float | None = 1.0
    """For each answer, before the bank is touched."""
    bank: float = 0.0
    """For the whole match: the sum of what answers may take beyond `move`."""
    margin: float = 0.05
    """Forgiven on each answer for the way through the pipe; the bot is not told."""
    clock: str = "wall"
    """`wall`: time on the wall is charged, but for what the machine kept the bot waiting; `cpu`:
    its CPU time."""

    @property
    def forgives_short_answers(self) -> bool:
        """Return whether a short answer is always in time, and costs nothing of the bank."""
        return self.move is None or self.move >= SHORT_ANSWER_S

    def scaled(self, factor: float) -> "TimeControl":
        """Return a control with a multiple of all seconds."""
        start = self.start
        if start is not None:
            start *= factor
        move = self.move
        if move is not None:
            move *= factor
        return replace(
            self,
            start=start,
            move=move,
            bank=self.bank * factor,
            margin=self.margin * factor,
        )

    def deadline(self, announced: float | None) -> float | None:
        """Return the seconds that may be charged to a bot that is told it has `announced` seconds.

        None = no limit.
        """
        return None if announced is None else announced + self.margin

    def charged(
        self,
        spent: TimeUsed,
        threads: int = 1,
        *,
        ready: bool = False,
    ) -> float:
        """Return the seconds that an answer is charged with; `threads` of its bot compute at once.

        `ready` is charged by the wall, whatever the clock: otherwise a match could not begin until
        a bot that sleeps had taken WALL_PER_CPU_S times `start`.
        """
        fair = spent.fair(threads)
        if ready or self.clock == "wall":
            return fair
        return max(spent.cpu, fair / WALL_PER_CPU_S)

    def remaining(
        self,
        spent: TimeUsed,
        deadline: float,
        threads: int = 1,
        *,
        ready: bool = False,
    ) -> float:
        """Return the seconds that may still pass before an answer can be too late.

        Negative when it is.
        """
        return deadline - self.charged(spent, threads, ready=ready)

    def too_late(
        self,
        spent: TimeUsed,
        deadline: float,
        threads: int = 1,
        *,
        ready: bool = False,
    ) -> bool:
        """Return whether an answer is charged with more than its deadline."""
        return self.charged(spent, threads, ready=ready) > deadline + ROUNDING_S

    def must_abort(self, spent: TimeUsed, deadline: float) -> bool:
        """Return whether the machine kept an answer waiting for too long.

        Then the match is played again.
        """
        return spent.wall >= ABORT_FACTOR * deadline


@dataclass(frozen=True)
class Clock:
    """What one role has left of its time control."""

    control: TimeControl
    bank: float
    """Seconds left in the bank."""
    threads: int = 1
    """How many threads of its bot compute at once."""

    @classmethod
    def full(cls, control: TimeControl, threads: int = 1) -> "Clock":
        """Return a clock with a full bank."""
        return cls(control, control.bank, threads)

    @cached_property
    def announced(self) -> float | None:
        """Seconds that the bot is told it has for this answer, bank included; None = no limit."""
        if self.control.move is None:
            return None
        return self.control.move + self.bank

    @cached_property
    def deadline(self) -> float | None:
        """The most seconds that an answer may be charged; None = no limit."""
        return self.control.deadline(self.announced)

    def after(self, spent: TimeUsed) -> "Clock":
        """Return the clock after an answer."""
        if not self.bank or self.control.move is None:
            return self
        charged = self.control.charged(spent, self.threads)
        beyond = charged - self.control.move
        if beyond <= 0:
            return self
        return replace(self, bank=max(0.0, self.bank - beyond))
