"""How far an event is, as arithmetic and words; never reads the time."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Matches planned, on disk, and played in this run, after so many seconds of it."""

    planned: int
    finished: int
    played: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Matches a second in this run; None before the first."""
        return self.played / self.seconds if self.played and self.seconds > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds to the end at this rate."""
        return None if self.rate is None else (self.planned - self.finished) / self.rate

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.finished / self.planned if self.planned else 1.0

    def __str__(self) -> str:
        words = [f"{self.finished} of {self.planned} matches ({100 * self.share:.0f} %)"]
        if self.rate is not None:
            words.append(f"{self.rate:.1f}/s")
        if self.left is not None and self.finished < self.planned:
            words.append(f"about {duration(self.left)} left")
        return ", ".join(words)


def duration(seconds: float) -> str:
    """Seconds in words that are short: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
