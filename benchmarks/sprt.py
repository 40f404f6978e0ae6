"""The error rates of `arena duel` and the pairings that it takes, in simulated duels of known
difference: `python benchmarks/sprt.py [DUELS]`, 1,000 a row unless told.

Beside it stands the usual normal approximation (GSPRT) on the same scores, and the fixed number of
pairings that a test with the same error rates needs if the variance is known.
"""

import math
import random
import sys
import zlib
from collections.abc import Callable, Iterator
from statistics import NormalDist, mean, pvariance

from tables import print_table

from arena.results.sequential import Question, SequentialTest

QUESTION = Question()
MOST_PAIRINGS = 5000  # as `--max-pairings` by default
DUELS = 1000
DIFFERENCES = (-5.0, 0.0, 2.5, 5.0, 15.0)
# first pairings, in which a variance of nearly 0 is likeliest: a usual remedy, granted to both
IGNORED = 16
Z = NormalDist().inv_cdf
Pairings = Callable[[random.Random, float], float]
"""Draws a pairing: the points of the first bot minus those of the second, in two legs; with this
mean."""


def leg(dice: random.Random, difference: float, decided: float = 1.0) -> float:
    """Return the difference of one leg: lost, drawn or won; `decided` is the share that is not
    drawn.
    """
    won = (decided + difference / 100) / 2
    draw = dice.random()
    return 100.0 if draw < won else -100.0 if draw < decided else 0.0


def even(dice: random.Random, difference: float) -> float:
    """No draws, and the roles are even."""
    return (leg(dice, difference) + leg(dice, difference)) / 2


def draws(dice: random.Random, difference: float) -> float:
    """Eighty of a hundred legs are drawn."""
    return (leg(dice, difference, 0.2) + leg(dice, difference, 0.2)) / 2


def roles(dice: random.Random, difference: float) -> float:
    """One role wins 92 of a hundred matches of equal bots, so that most pairings are even."""
    return (leg(dice, 84 + difference) + leg(dice, -84 + difference)) / 2


def graded(dice: random.Random, difference: float) -> float:
    """Scores of any height: the difference is a bell of 25 points."""
    return max(-100.0, min(100.0, dice.gauss(difference, 25)))


def disasters(dice: random.Random, difference: float) -> float:
    """The first bot is a little better in nearly every pairing, and loses five in a hundred by
    everything.
    """
    return -100.0 if dice.random() < 0.05 else (difference + 5) / 0.95


SCORES: dict[str, Pairings] = {
    "no draws, even roles": even,
    "80 % draws": draws,
    "one role wins 92 %": roles,
    "any score, deviation 25": graded,
    "ahead, but 5 % disasters": disasters,
}


def bets(scores: Iterator[float]) -> tuple[str, int]:
    """Return the decision of arena's own test, and after how many pairings."""
    test = SequentialTest(QUESTION)
    while test.decision is None and len(test.differences) < MOST_PAIRINGS:
        test.add(next(scores))
    return test.decision or "undecided", len(test.differences)


def by_ratio(
    ratio: Callable[[int, float, float], float], scores: Iterator[float]
) -> tuple[str, int]:
    """Return the decision of a test whose log-likelihood ratio is a function of number, mean and
    variance.
    """
    upper = math.log((1 - QUESTION.beta) / QUESTION.alpha)
    lower = math.log(QUESTION.beta / (1 - QUESTION.alpha))
    total = squares = 0.0
    for number in range(1, MOST_PAIRINGS + 1):
        score = next(scores)
        total += score
        squares += score * score
        if number >= IGNORED:
            middle = total / number
            llr = ratio(number, middle, max(1e-9, squares / number - middle * middle))
            if llr >= upper:
                return "better", number
            if llr <= lower:
                return "not better", number
    return "undecided", MOST_PAIRINGS


def gsprt(number: int, middle: float, variance: float) -> float:
    """Return the log-likelihood ratio with the variance so far, as fishtest has it, and a prior of
    one pairing.
    """
    variance = (number * variance + 50**2) / (number + 1)
    gap = QUESTION.high - QUESTION.low
    return number * gap * (middle - (QUESTION.low + QUESTION.high) / 2) / variance


def interval(count: int, of: int) -> str:
    """Return a share in percent with its 95 % interval (Wilson)."""
    share, z = count / of, Z(0.975)
    centre = (share + z * z / 2 / of) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / 4 / of / of)
    return (
        f"{100 * share:.1f} ({100 * max(0.0, centre - half):.1f} to "
        f"{100 * min(1.0, centre + half):.1f})"
    )


def stream(draw: Pairings, seed: str, difference: float) -> Iterator[float]:
    """Yield the pairings of one duel; the same for each test."""
    dice = random.Random(zlib.crc32(seed.encode()))
    while True:
        yield draw(dice, difference)


def rows(duels: int) -> Iterator[list[str]]:
    """Yield a row for each kind of scores and each truth."""
    tests: tuple[Callable[[Iterator[float]], tuple[str, int]], ...] = (
        bets,
        lambda scores: by_ratio(gsprt, scores),
    )
    for name, draw in SCORES.items():
        for difference in DIFFERENCES:
            dice = random.Random(1)
            spread = pvariance([draw(dice, difference) for _ in range(20_000)])
            gap = QUESTION.high - QUESTION.low
            fixed = spread * ((Z(1 - QUESTION.alpha) + Z(1 - QUESTION.beta)) / gap) ** 2
            row = [name, f"{difference:+g}"]
            for test in tests:
                ends = [
                    test(stream(draw, f"{name} {difference} {number}", difference))
                    for number in range(duels)
                ]
                row += summary(ends, difference)
            yield [*row, f"{fixed:,.0f}"]


def summary(ends: list[tuple[str, int]], difference: float) -> list[str]:
    """Return the cells of a test: wrong answers, undecided duels, and the pairings."""
    wrong = ""
    if difference <= QUESTION.low:
        wrong = interval(sum(decision == "better" for decision, _ in ends), len(ends))
    elif difference >= QUESTION.high:
        wrong = interval(sum(decision == "not better" for decision, _ in ends), len(ends))
    undecided = sum(decision == "undecided" for decision, _ in ends) / len(ends)
    numbers = sorted(number for _, number in ends)
    most = numbers[int(0.95 * len(ends))]
    return [wrong, f"{100 * undecided:.0f}", f"{mean(numbers):,.0f}, {most:,}"]


def main() -> None:
    """Print the table."""
    duels = int(sys.argv[1]) if len(sys.argv) > 1 else DUELS
    title = (
        f"{duels:,} duels a row: better than {QUESTION.low:g}, or not {QUESTION.high:g} points "
        f"better? alpha {QUESTION.alpha:g}, beta {QUESTION.beta:g}, at most {MOST_PAIRINGS:,} "
        "pairings"
    )
    cells = ("wrong, %", "undecided, %", "pairings, mean and 95 %")
    head = ["scores", "truth"]
    for test in ("bets", "GSPRT"):
        head += [f"{test}: {cell}" for cell in cells]
    print_table(title, [*head, "fixed"], rows(duels))


if __name__ == "__main__":
    main()
