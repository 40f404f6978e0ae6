"""Simultaneous perturbation: the search for the best values of a bot's parameters. Pure.

In each step all parameters move at once, by random signs, up and down from the best guess; the two
bots play, and the guess moves towards the winner. It knows no bot and no match: the caller plays.
"""

# Which search, and why
# ---------------------
# A match is a noisy comparison, and a pairing of two bots says more than two bots against a third:
# common seeds cancel luck. Three ways were weighed.
#
# 1. SPSA (J. Spall, 1992), which fishtest uses for Stockfish: it needs comparisons alone, two bots
#    a step whatever the number of parameters, and its state is one point. It is what is used here.
# 2. Optuna or Nevergrad, kept libraries. Both want the value of a point, so that each point would
#    play against a fixed opponent, which costs twice the matches and finds what beats that
#    opponent. Their models pay where an evaluation takes hours; a pairing takes milliseconds.
# 3. A grid. It is honest for one parameter of few values, where a tournament of all values by
#    `arena run` does it (docs/sweep.md).
#
# All coordinates are shares of the way from `low` to `high`. The gains fall as Spall recommends:
# the step size as (k + 1 + A) ** -0.602, the perturbation as (k + 1) ** -0.101. A is a tenth of the
# steps. A perturbation is never shorter than a step of the parameter, because two equal bots say
# nothing.

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.identity import digest_of

GAIN = 2.4
WIDTH = 0.25
"""The first step size, for a difference of 100 points, and the first perturbation, as shares of the
way from low to high. benchmarks/tune.py has what other values did."""
GAIN_FALLS = 0.602
WIDTH_FALLS = 0.101
LAST_SHARE = 0.5
"""The guess at the end is the mean of this share of the steps, the last ones."""


@dataclass(frozen=True)
class Range:
    """The values that a parameter may have."""

    low: float
    high: float
    step: float

    def share(self, value: float) -> float:
        """Return where a value lies, from 0 at `low` to 1 at `high`."""
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """Return the value of the grid that is nearest to a share of the way."""
        span = self.high - self.low
        most_steps = math.floor(span / self.step + 1e-9)
        steps = round(share * span / self.step)
        steps = max(steps, 0)
        steps = min(steps, most_steps)
        value = self.low + steps * self.step
        return round(value, 9)


Point = dict[str, float]
"""A value for each parameter."""


class Spsa:
    """A search of a given number of steps.

    The same seed and the same differences give the same points.
    """

    def __init__(
        self,
        ranges: Mapping[str, Range],
        start: Mapping[str, float],
        steps: int,
        seed: str,
    ) -> None:
        self.ranges = dict(ranges)
        self.steps = steps
        self._seed = seed
        self._guess: Point = {}
        for name, bounds in self.ranges.items():
            self._guess[name] = bounds.share(start[name])
        self.guesses: list[Point] = [dict(self._guess)]
        """The guess before each step, in shares."""

    def pair(self) -> tuple[Point, Point]:
        """Return the two points that play in the next step."""
        number = len(self.guesses) - 1
        up: Point = {}
        down: Point = {}
        for name, sign in self._signs(number).items():
            bounds = self.ranges[name]
            width = self._width(name, number)
            # Near an end both points move inwards, so that they stay apart.
            centre = max(self._guess[name], width)
            centre = min(centre, 1 - width)
            up[name] = bounds.value(centre + sign * width)
            down[name] = bounds.value(centre - sign * width)
        return up, down

    def hear(self, difference: float) -> None:
        """Take the result of a step, -100 to 100.

        It is how many points the bot of the first point had more than that of the second.
        """
        number = len(self.guesses) - 1
        delay = 1 + self.steps / 10
        gain = GAIN / (1 + number / delay) ** GAIN_FALLS
        for name, sign in self._signs(number).items():
            width = self._width(name, number)
            step = gain * width * sign * difference / 100
            moved = self._guess[name] + step
            moved = max(moved, 0.0)
            self._guess[name] = min(moved, 1.0)
        self.guesses.append(dict(self._guess))

    @property
    def best(self) -> Point:
        """The values that the search has found so far."""
        count = round(LAST_SHARE * len(self.guesses))
        count = max(1, count)
        last = self.guesses[-count:]
        best: Point = {}
        for name, bounds in self.ranges.items():
            shares = [guess[name] for guess in last]
            mean = math.fsum(shares) / len(shares)
            best[name] = bounds.value(mean)
        return best

    def _signs(self, number: int) -> dict[str, int]:
        """Return the direction of each parameter in a step."""
        draw = Random(digest_of("tune", self._seed, number))
        return {name: draw.choice((-1, 1)) for name in self.ranges}

    def _width(self, name: str, number: int) -> float:
        """Return how far a parameter moves in a step, as a share."""
        bounds = self.ranges[name]
        span = bounds.high - bounds.low
        least = bounds.step / span / 2
        width: float = WIDTH / (1 + number) ** WIDTH_FALLS
        width = max(least, width)
        return min(0.5, width)


def replayed(search: Spsa, differences: Sequence[float]) -> Spsa:
    """Return a search after these steps."""
    for difference in differences:
        search.hear(difference)
    return search
