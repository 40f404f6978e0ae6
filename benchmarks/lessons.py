"""How often lessons by estimate are false, and how often a real difference is found, in simulated
positions.

    python benchmarks/lessons.py [POSITIONS]

prints both tables. With 300 positions a cell it takes two minutes of CPU
time.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean

from tables import print_table

from arena.results.move_estimates import better_than

POSITIONS = 300
MOVES = (2, 5, 10)
MATCHES = (3, 4, 5, 7, 10, 20, 50)
CHANCES = (0.1, 0.3, 0.5, 0.9)
"""Of scoring with an average bot; of all of them the worst counts."""
DRAWN = (0.0, 0.5)
"""The share of draws, of what the chances leave room for."""
STRONG = 0.15
"""A strong bot scores so much more often than the average, a weak one so much less."""


def scored(dice: random.Random, mean: float, drawn: float) -> int:
    """Return the score of a match."""
    draw = drawn * 2 * min(mean, 1 - mean)
    value = dice.random()
    return 100 if value < mean - draw / 2 else 50 if value < mean + draw / 2 else 0


def position(
    dice: random.Random,
    means: Sequence[float],
    matches: Sequence[int],
    drawn: float,
    strong: float = 0.0,
) -> dict[str, list[tuple[int, float]]]:
    """Return the scores of each move, `m0` first; with `strong`, strong bots prefer the last
    moves.
    """
    scores = dict[str, list[tuple[int, float]]]()
    for number, (mean, count) in enumerate(zip(means, matches, strict=True)):
        scores[f"m{number}"] = of_move = []
        for _ in range(count):
            edge = strong if dice.random() < (number + 1) / (len(means) + 1) else -strong
            score = scored(dice, min(1, max(0, mean + edge)), drawn)
            of_move.append((score, score - 100 * (fmean(means) + edge)))
    return scores


def false(
    dice: random.Random,
    moves: int,
    matches: Sequence[int],
    *,
    own: int,
    positions: int,
    strong: float,
) -> float:
    """Return the share of positions of equal moves with a lesson: the worst of all chances and
    draws.
    """
    names = [f"m{number}" for number in range(moves)]
    return max(
        fmean(
            any(
                better_than(
                    names[:own], names, position(dice, [mean] * moves, matches, drawn, strong)
                ).values()
            )
            for _ in range(positions)
        )
        for mean, drawn in product(CHANCES, DRAWN)
    )


def found(
    dice: random.Random, moves: int, matches: int, difference: float, *, positions: int
) -> float:
    """Return the share of positions in which the last move is found better than the first, which
    the bot plays.
    """
    means = [0.5 - difference / 2] * (moves - 1) + [0.5 + difference / 2]
    names = [f"m{number}" for number in range(moves)]
    return fmean(
        names[-1]
        in better_than(names[:1], names, position(dice, means, [matches] * moves, 0.0)).get(
            names[0], ()
        )
        for _ in range(positions)
    )


def false_lessons(dice: random.Random, positions: int) -> Iterator[list[str]]:
    """Yield a row for each kind of position."""
    for moves, own_all, strong in product(MOVES, (False, True), (0.0, STRONG)):
        unequal = [MATCHES[number % len(MATCHES)] for number in range(moves)]
        counts = [*([count] * moves for count in MATCHES), unequal[::-1]]
        own = moves if own_all else 1
        row = [str(moves), "all" if own_all else "one", "unlike" if strong else "alike"]
        for each in counts:
            share = false(dice, moves, each, own=own, positions=positions, strong=strong)
            row.append(f"{share:.3f}")
        yield row


def true_lessons(dice: random.Random, positions: int) -> Iterator[list[str]]:
    """Yield a row for each difference and number of moves."""
    for difference, moves in product((0.3, 0.5, 0.8), MOVES):
        row = [f"{100 * difference:.0f}", str(moves)]
        for count in MATCHES:
            row.append(f"{found(dice, moves, count, difference, positions=positions):.2f}")
        yield row


def main() -> None:
    """Print both tables."""
    positions = int(sys.argv[1]) if len(sys.argv) > 1 else POSITIONS
    dice = random.Random(16)
    counts = [str(count) for count in MATCHES]
    head = ["moves", "the bot plays", "bots", *counts, "3 to 50"]
    title = f"The share of {positions} positions a cell with a false lesson"
    print_table(f"{title}, by the matches of each move", head, false_lessons(dice, positions))
    title = f"The share of {positions} positions a cell in which a better move is found"
    head = ["points more", "moves", *counts]
    print_table(f"{title}, by the matches of each move", head, true_lessons(dice, positions))


if __name__ == "__main__":
    main()
