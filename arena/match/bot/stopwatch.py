"""Measures what an answer costs: wall time, CPU time, and the waits that the machine imposed.

It reads the meter of the bot's process and the delays of the referee. It chooses which readings
count for an answer; clock.py says how much of them is charged and whether that is too late. This
file knows no text of a bot, and no consequence of a late answer.
"""

# Theory of operation
# -------------------
# The deadline of an answer is the number of seconds that may be charged. `due` is the next moment
# at which the answer can be too late. At first that is `begun` plus the deadline. But what the
# machine kept the bot waiting is not charged, so at that moment `expire` reads the clocks, and
# moves `due` later by the time that was not charged. So an honest bot on a busy machine gets its
# whole time, and a bot that sleeps or computes loses at the first `due`.
#
# The kernel reports a wait for a core in /proc/PID/schedstat only when the wait is over. So a
# thread that has no core at its deadline seems to have waited for nothing. Then the wait that may
# not be reported yet is added (`Meter.unreported_wait`), and the bot is looked at again
# LOOK_AGAIN_S later.
#
# Readings cost microseconds, of the 40 that a turn takes. In an answer that came within
# SHORT_ANSWER_S nobody needs to know how long the referee's thread had no core, when the answer was
# written, nor what other threads of the bot waited, so none of them is read.
#
# The time of a write is that of a tick of the kernel. Of the moments in that tick the latest
# counts, so that nothing is excused that may have been the bot's doing. `_referee_late` excuses no
# more than the referee can have been late, which matters where an earlier write was noted
# (wire.py).
#
# A bot of several processes is excused its waits only where no child of it can have run unseen,
# since that child could be what crowds it out (`Meter.complete`).

import math
import time

from arena.clock import SHORT_ANSWER_S, TimeControl, TimeUsed, referee_lateness, stood_still
from arena.errors import ArenaError
from arena.match.bot.postmortem import overload
from arena.protocol import Ask
from arena.sandbox.meter import Delay, Meter, Usage
from arena.values import Bot

LOOK_AGAIN_S = 0.005
"""The time until a bot is looked at again that may have been kept waiting."""


class OverloadedError(ArenaError):
    """The machine kept a bot waiting for too long, so the match must be played again."""


class Stopwatch:
    """Times the answers of one bot in one match, one after another."""

    def __init__(
        self,
        bot: Bot,
        meter: Meter,
        control: TimeControl,
        used_before: Usage,
        *,
        is_timed: bool = False,
    ) -> None:
        """`used_before` is what the bot's process used in earlier matches.

        `is_timed`: the kernel notes when the bot gets a question, and when it writes an answer.
        """
        self._bot = bot
        self._meter = meter
        self._control = control
        self._is_timed = is_timed
        self._delay = Delay()
        self._used = used_before
        """The readings at the start of the next answer: only what the bot uses after them
        counts."""
        self._late_looks = 0.0
        """Seconds by which the referee looked late at this answer."""
        self._served_others = 0.0
        """Seconds in which it served other bots."""
        self._ready = False
        self._deadline = math.inf
        self.due = math.inf
        """The moment (monotonic) from which on the answer may be too late; inf = never."""
        self.begun = time.monotonic()
        """The moment (monotonic) at which the bot got the last question."""

    def start(self, ask: Ask, *, anew: bool, short: bool = False) -> None:
        """Begin to time an answer: the question is written next.

        `anew`: the bot was not frozen, so the CPU time that it has used since its last answer is
        not charged. `short`: a short answer is expected, and `expect_longer` is called if none
        comes.
        """
        self._ready = ask.ready
        self._late_looks = 0.0
        self._served_others = 0.0
        self._deadline = math.inf if ask.deadline is None else ask.deadline
        if anew:
            self._used = self._meter.read()
        self._meter.mark()
        if not short:
            self._delay.mark()
        self.begun = begun = time.monotonic()
        self.due = begun + self._deadline

    def begin_later(self, moment: float) -> None:
        """Time the answer from a moment (monotonic) on, if the question was not written before."""
        later = moment - self.begun
        if later > 0:
            self.begun += later
            self.due += later

    def short(self, now: float) -> TimeUsed | None:
        """Return what an answer took that was read at `now` (monotonic).

        Return None when it is not short (clock.py).
        """
        wall = now - self.begun
        if wall > SHORT_ANSWER_S:
            return None
        before = self._used
        used = self._meter.read()
        cpu = used.cpu - before.cpu
        if cpu > SHORT_ANSWER_S:
            return None
        self._used = used
        # This has also what it waited before it was asked, if it was awake.
        waited = used.waited - before.waited
        return TimeUsed(wall, cpu, min(wall, waited), 0.0)

    def expect_longer(self) -> None:
        """Take note that no short answer came.

        From now on count what the referee waits for a core.
        """
        self._delay.mark()

    def stop(self) -> None:
        """Charge to the next answer what the bot uses from now on.

        It is frozen, and should use nothing.
        """
        self._used = self._meter.last

    def excuse(self, seconds: float) -> None:
        """Count seconds in which the referee served other bots, and could not see the answer."""
        self._served_others += seconds

    def excuse_late_look(self, seconds: float) -> None:
        """Count seconds by which the referee looked late, while there was no answer."""
        self._late_looks += seconds

    def survey(self) -> None:
        """Read the waits of the bot's threads."""
        self._meter.survey(time.monotonic() - self.begun)

    def spent(
        self,
        now: float,
        unseen: float = 0.0,
        came: float | None = None,
    ) -> TimeUsed:
        """Return what the answer took so far.

        For an answer that was read at `now` (monotonic): it may have been there unseen for a number
        of seconds, and `came` at this moment, or before.
        """
        wall = now - self.begun
        before = self._used
        if wall <= SHORT_ANSWER_S:
            used = self._meter.read()
            waited = 0.0
            if self._meter.complete:
                # It may have waited before it was asked, too.
                waited = min(wall, used.waited - before.waited)
            return TimeUsed(wall, used.cpu - before.cpu, waited, 0.0)
        late = self._referee_late(now, unseen, came)
        if not self._meter.complete:
            return TimeUsed(wall, self._meter.read().cpu - before.cpu, 0.0, late)
        self.survey()
        cpu = self._meter.last.cpu - before.cpu
        return TimeUsed(wall, cpu, self._meter.waited(cpu), late)

    def _referee_late(
        self,
        now: float,
        unseen: float,
        came: float | None,
    ) -> float:
        """Return the seconds that the referee took from the bot, and not the bot from itself."""
        without_core = self._delay.since()
        if not self._is_timed:
            late = self._served_others
            if self._meter.complete:
                late += referee_lateness(self._late_looks + unseen, without_core)
            return late
        late = stood_still(self._late_looks, without_core)
        if came is not None:
            # The time of a tick of the kernel may be a moment before the question.
            since_answer = now - max(came, self.begun)
            most = max(unseen, without_core) + self._served_others
            late += min(since_answer, most)
        return late

    def too_late(self, spent: TimeUsed) -> bool:
        """Return whether an answer that took so long is too late."""
        return self._control.too_late(spent, self._deadline, self._bot.threads, ready=self._ready)

    def expire(self, now: float) -> TimeUsed | None:
        """Return what an answer took that has not come by `now`, if that is too much.

        Otherwise postpone `due`, and return None. Raise OverloadedError when bot or referee were
        kept waiting for so long that the match must be played again.
        """
        spent = self.spent(now)
        remaining = self._control.remaining(
            spent, self._deadline, self._bot.threads, ready=self._ready
        )
        if remaining <= 0 and self._meter.complete:
            waited = spent.waited + self._meter.unreported_wait(now)
            spent = spent._replace(waited=waited)
            remaining = LOOK_AGAIN_S
        if self.too_late(spent):
            return spent
        if self._control.must_abort(spent, self._deadline):
            raise OverloadedError(overload(self._bot.name, spent))
        self.due = now + remaining
        return None

    def close(self) -> None:
        """Stop reading the referee's delay. The meter belongs to the process, which may play on."""
        self._delay.close()
