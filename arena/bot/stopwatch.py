"""What an answer costs, and when it is too late: time on the wall, CPU time, and what the machine kept it waiting.

It reads the process's meter and the referee's own delay. What of it all is charged is the law of clock.py; what a bot
said, and what becomes of one that is too late, is not known here.
"""

import math
import time

from arena.bot.postmortem import overload
from arena.clock import STRETCH, Spent, TimeControl
from arena.errors import ArenaError
from arena.protocol import Ask
from arena.sandbox.meter import Delay, Meter, Usage

AGAIN = 0.005  # seconds until a bot is looked at again that may have been kept waiting
SHORT = 0.001  # seconds: in so quick an answer nobody needs to know how long the referee was kept waiting


class OverloadedError(ArenaError):
    """The machine kept a bot waiting for too long: the match must be played again, with less beside it."""


class Stopwatch:
    """Times the answers of one bot in one match, one after another."""

    def __init__(self, name: str, meter: Meter, control: TimeControl, used: Usage) -> None:
        """`name` is the bot's; `used` is what its process had used before."""
        self._name, self._meter, self._control = name, meter, control
        self._delay = Delay()
        self._used = used
        self._late = 0.0
        self._ready = False
        self._limit = self.due = math.inf
        """`due` is the moment (monotonic) at which the answer may be too late; inf = never."""
        self.begun = time.monotonic()
        """The moment (monotonic) at which the last question was written."""

    def start(self, ask: Ask, *, anew: bool) -> None:
        """The question is written now. `anew`: what the bot has used since its last answer was its own business."""
        self._ready, self._late = ask.ready, 0.0
        self._limit = math.inf if ask.deadline is None else ask.deadline
        if anew:
            self._used = self._meter.read()
        self._meter.mark()
        self._delay.mark()
        self.begun = begun = time.monotonic()
        self.due = begun + self._limit

    def stop(self) -> None:
        """From now on until it is asked again it uses nothing that counts."""
        self._used = self._meter.last

    def excuse(self, seconds: float) -> None:
        """So long the referee could not see its answer: it was late, or busy with others."""
        self._late += seconds

    def survey(self) -> None:
        """Look at its threads: now and then, while it is awaited."""
        self._meter.survey(time.monotonic() - self.begun)

    def spent(self, now: float, late: float = 0.0) -> Spent:
        """What the answer took so far, `late` seconds more than what is counted already."""
        wall, late, before = now - self.begun, self._late + late, self._used
        if wall <= SHORT:
            used = self._meter.read()
            return Spent(wall, used.cpu - before.cpu, used.waited - before.waited, late)
        self.survey()
        cpu = self._meter.last.cpu - before.cpu
        return Spent(wall, cpu, self._meter.waited(cpu), max(late, self._delay.since()))

    def too_late(self, spent: Spent) -> bool:
        """Whether that is more than it may be charged with."""
        return max(spent.wall, spent.cpu) >= self._limit and self._charged(spent) >= self._limit

    def expire(self, now: float) -> Spent | None:
        """The deadline is there: what it took, when that is too much; else `due` is put off.

        OverloadedError when bot or referee were kept waiting for so long that there is no end to it.
        """
        spent = self.spent(now)
        wait = self._limit - self._charged(spent)
        if wait <= 0:  # unless it was kept waiting until now, of which nobody was told yet
            spent, wait = spent._replace(waited=spent.waited + self._meter.untold(now)), AGAIN
        if self._charged(spent) >= self._limit:
            return spent
        if spent.wall >= STRETCH * self._limit:
            raise OverloadedError(overload(self._name, spent))
        self.due = now + wait
        return None

    def close(self) -> None:
        """Time no more answers; the meter is whoever's process it is."""
        self._delay.close()

    def _charged(self, spent: Spent) -> float:
        return spent.fair if self._ready else self._control.charged(spent)
