"""What a tuning has played: its steps, in one file of its folder of results.

Whoever changes the file changes what the search does next, and nothing else: the test at the end
plays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from arena import file_formats
from arena.event import histories
from arena.extras.tune.spsa import Point, Range

FILE = "tune.json"
MOST_BYTES = 20_000_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step that was played: the values of both bots, and the result."""

    up: Point
    down: Point
    difference: float
    """How many points the bot with the values `up` had more, -100 to 100."""
    guess: Point
    """The best values after the step."""


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """A tuning so far."""

    settings: str
    """A hash of all that decides how it goes on."""
    bot: str
    ranges: Mapping[str, Range]
    start: Point
    steps: tuple[Step, ...] = ()
    format: int = file_formats.TUNING.number

    def __post_init__(self) -> None:
        """Refuse a file of a stranger whose steps have other parameters than the start."""
        for step in self.steps:
            for point in (step.up, step.down, step.guess):
                if point.keys() != self.start.keys():
                    raise ValueError("a step has other parameters than the start")

    def with_step(self, step: Step) -> "Tuning":
        """Return the tuning after one more step."""
        return replace(self, steps=(*self.steps, step))


TUNING = TypeAdapter(Tuning)


def read(folder: Path) -> Tuning | None:
    """Return the tuning in a folder of results; None where nothing was tuned."""
    return histories.read(folder / FILE, TUNING, file_formats.TUNING, MOST_BYTES)


def store(folder: Path, tuning: Tuning) -> None:
    """Write the tuning into a folder of results, in one step."""
    histories.store(folder / FILE, TUNING, tuning)
