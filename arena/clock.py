"""Time as arithmetic: what a role may use (TimeControl), what an answer cost (Spent), what is left (Clock).

Never reads the time. The law of what is charged stands here and nowhere else.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

STRETCH = 20
"""How many times `move` (or `start`) an answer may take on the wall, however little of it is charged."""
ASLEEP = 10
"""With `clock = "cpu"`, how much slower than CPU time the wall's is charged: a bot that sleeps must lose some day."""


class Spent(NamedTuple):
    """What an answer took, in seconds."""

    wall: float = 0.0
    """From `go` to the moment at which it was read."""
    cpu: float = 0.0
    """CPU time of the bot's process meanwhile."""
    waited: float = 0.0
    """How long the bot's threads were ready, but had no core."""
    late: float = 0.0
    """How much later than it wanted the referee looked."""

    @property
    def fair(self) -> float:
        """The time on the wall without that in which the machine kept bot or referee waiting; never below CPU time."""
        return self.wall - min(self.waited + self.late, max(0.0, self.wall - self.cpu))


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """How long a bot may take, in seconds. None = no limit."""

    start: float | None = 5.0
    """From `ready?` to `ready`."""
    move: float | None = 1.0
    """For each answer, before the bank is touched."""
    bank: float = 0.0
    """For the whole match: what answers may take beyond `move`, added up."""
    margin: float = 0.05
    """Forgiven on each answer for the way through the pipe; never told to the bot."""
    clock: str = "wall"
    """`wall`: time on the wall is charged, but for what the machine kept the bot waiting; `cpu`: its CPU time."""

    def charged(self, spent: Spent) -> float:
        """The seconds that an answer is charged with."""
        return spent.fair if self.clock == "wall" else max(spent.cpu, spent.fair / ASLEEP)


@dataclass(frozen=True)
class Clock:
    """What one role has left of its time control."""

    control: TimeControl
    bank: float
    """Seconds left in the bank."""

    @classmethod
    def full(cls, control: TimeControl) -> "Clock":
        """A clock that nothing was taken from."""
        return cls(control, control.bank)

    @cached_property
    def told(self) -> float | None:
        """Seconds that the bot is told it has for this answer, bank included; None = no limit."""
        return None if self.control.move is None else self.control.move + self.bank

    @cached_property
    def deadline(self) -> float | None:
        """Seconds that it may be charged with; more is too late."""
        return None if self.told is None else self.told + self.control.margin

    def after(self, spent: Spent) -> "Clock":
        """The clock after an answer."""
        if not self.bank or self.control.move is None:
            return self
        beyond = self.control.charged(spent) - self.control.move
        return replace(self, bank=max(0.0, self.bank - beyond)) if beyond > 0 else self
