"""Whether ratings and points order bots alike: `python benchmarks/order.py [leagues]`, 2,000
leagues by default.

Every league is a balanced round robin of bots with and without chance, on one board or two. The
second figure is how often a rating falls after a win.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from tables import print_table

from arena.results.arrays import Arrays
from arena.results.ratings import bradley_terry, points
from tests.support.simulated import DUEL, TRIO, league, play

SEED = 2026
LEAGUES = 2000
BOARDS = ((DUEL,), (TRIO,), (DUEL, TRIO))
DIGITS = 9
"""Ratings and points that are equal to this digit are equal."""


def drawn(random: np.random.Generator) -> Arrays:
    """Return the matches of a league of any kind."""
    bots = int(random.integers(2, 13))
    extreme = tuple(random.choice([-8.0, 8.0], int(random.integers(0, 2))))
    field = league(
        random,
        bots=bots,
        boards=BOARDS[int(random.integers(len(BOARDS)))],
        spread=float(random.choice([0.0, 0.5, 1.0, 3.0])),
        special=float(random.choice([0.0, 0.5, 2.0])),
        extreme=extreme,
    )
    return play(
        random,
        field,
        repeats=int(random.integers(1, 6)),
        kind=str(random.choice(["won", "drawn", "graded"])),
        without_chance=int(random.integers(0, bots + 1)),
    )


def contradicts(played: Arrays) -> bool:
    """Return whether the rating orders two bots otherwise than points do, or equal ones at all."""
    points_of = {
        rating.bot: rating.strength.value for rating in points.rate(played, refits=2).ratings
    }
    found = bradley_terry.rate(played, refits=2).ratings
    by_rating = [
        (round(rating.strength.value, DIGITS), round(points_of[rating.bot], DIGITS))
        for rating in found
    ]
    for strength, scored in by_rating:
        for other_strength, other_scored in by_rating:
            if (strength > other_strength) != (scored > other_scored):
                return True
    return False


def falls(random: np.random.Generator) -> bool:
    """Return whether the last win of a league of win and loss lowers the rating of the bot that won
    it.
    """
    field = league(
        random, bots=int(random.integers(3, 9)), spread=float(random.choice([0.5, 1.0, 3.0]))
    )
    played = play(random, field)
    last = int(random.integers(len(played.seed)))
    others = np.arange(len(played.seed)) != last
    seats = np.flatnonzero(played.match == last)
    winner = played.entries[played.entry[seats[int(np.argmax(played.score[seats]))]]].bot
    figures = []
    for chosen in (played.select(others), replace(played)):
        found = {
            rating.bot: rating.strength.value
            for rating in bradley_terry.rate(chosen, refits=2).ratings
        }
        figures.append(found.get(winner, -np.inf))
    before, after = figures
    return bool(after < before)


def rows(leagues: int) -> Iterator[list[object]]:
    """Yield a row for each of both questions."""
    random = np.random.default_rng(SEED)
    contradictions = sum(contradicts(drawn(random)) for _ in range(leagues))
    yield ["rating and points contradict each other", leagues, contradictions]
    fallen = sum(falls(random) for _ in range(leagues // 10))
    yield ["a rating falls after a win", leagues // 10, fallen]


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else LEAGUES
    print_table("Simulated round robins", ["", "leagues", "of these"], rows(asked))
