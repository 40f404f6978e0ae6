"""Time as arithmetic: what a role may use (TimeControl) and what it has left (Clock). Never reads the time."""

from dataclasses import dataclass, replace


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

    @property
    def told(self) -> float | None:
        """Seconds that the bot is told it has for this answer, bank included; None = no limit."""
        return None if self.control.move is None else self.control.move + self.bank

    @property
    def deadline(self) -> float | None:
        """Seconds after which the answer is too late."""
        return None if self.told is None else self.told + self.control.margin

    def spent(self, seconds: float) -> "Clock":
        """The clock after an answer that took so many seconds."""
        if self.control.move is None:
            return self
        return replace(self, bank=max(0.0, self.bank - max(0.0, seconds - self.control.move)))
