"""How right ratings are, and how quick: `python benchmarks/ratings.py [leagues]`, 200 leagues
unless told.

Leagues of 12 bots whose strengths are known are played by dice, with 40 % of the pairs of bots left
out. Kendall's tau says how well each rating finds the true order; coverage, how often a 95 %
interval holds the true strength.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from openskill.models import PlackettLuce
from tables import print_table

from arena.results import ratings
from arena.results.arrays import Arrays, Floats
from arena.results.ratings.bradley_terry import center
from tests.support.simulated import DUEL, TRIO, league, limit, met, play

SEED = 2026
BOTS, KEPT = 12, 0.6
LEAGUES: dict[str, dict[str, Any]] = {
    "two roles, won or lost": {"boards": (DUEL,), "repeats": 5},
    "two roles, graded scores": {"boards": (DUEL,), "kind": "graded", "repeats": 2},
    "three roles, two bots": {"boards": (TRIO,), "kind": "graded"},
    "three roles, three bots": {"boards": (TRIO,), "kind": "graded", "seating": "distinct"},
    "two roles, once": {"boards": (DUEL,)},  # 14 results a bot: the dice decide, not the rating
}
COVERAGE: dict[str, dict[str, Any]] = {
    "duel, once": {},
    "duel, ten times": {"repeats": 10},
    "duel, with draws": {"kind": "drawn", "repeats": 2},
    "duel, graded": {"kind": "graded", "repeats": 2},
    "duel, deterministic bots, 5 repeats": {"repeats": 5, "fixed": True},
    "duel, deterministic, 40 % missing": {"repeats": 5, "fixed": True, "kept": KEPT},
    "duel, half of the bots deterministic": {"repeats": 5, "without_chance": 6},
    "duel, all bots but one deterministic": {"repeats": 20, "without_chance": 11},
    "duel, two deterministic bots": {"repeats": 5, "without_chance": 2},
    "duel, deterministic half, 40 % missing": {"repeats": 5, "without_chance": 6, "kept": KEPT},
    "trio, deterministic half": {
        "boards": (TRIO,),
        "kind": "graded",
        "repeats": 5,
        "without_chance": 6,
    },
    "both, deterministic half": {"boards": (DUEL, TRIO), "repeats": 5, "without_chance": 6},
    "duel, 40 % missing": {"kept": KEPT},
    "duel, 6 bots": {"bots": 6, "repeats": 2},
    "duel, 3 bots": {"bots": 3, "repeats": 3},
    "duel, wide field": {"spread": 3.0},
    "duel, close field": {"spread": 0.3, "special": 0.2},
    "trio": {"boards": (TRIO,), "kind": "graded"},
    "trio, deterministic bots": {"boards": (TRIO,), "kind": "graded", "repeats": 3, "fixed": True},
    "trio, three bots": {"boards": (TRIO,), "kind": "graded", "bots": 6, "seating": "distinct"},
    "duel and trio, 40 % missing": {"boards": (DUEL, TRIO), "kept": KEPT},
    "a hopeless bot": {"extreme": (-6.0,), "repeats": 3},
    "a hopeless bot, once": {"extreme": (-6.0,)},
    "a hopeless bot, graded": {"extreme": (-6.0,), "kind": "graded", "repeats": 2},
    "a nearly hopeless bot": {"extreme": (-4.0,), "repeats": 3},
    "two hopeless bots": {"extreme": (-8.0, -8.0), "repeats": 3},
    "a perfect bot": {"extreme": (6.0,), "repeats": 3},
    "a perfect bot and a hopeless one": {"extreme": (6.0, -6.0), "repeats": 3},
    "trio, a hopeless bot": {"extreme": (-6.0,), "boards": (TRIO,), "kind": "graded", "repeats": 2},
    "heavy tails": {"tails": 2, "repeats": 3},
    "pair effects": {"pairs": 1.0, "repeats": 5},
    "pair effects, stronger than bots": {"spread": 0.5, "pairs": 2.0, "repeats": 5},
    "specialists of one role": {"specialists": 4, "repeats": 3},
    "specialists, most of them": {"specialists": 8, "repeats": 3},
    "luck that legs share": {"luck": 1.5, "repeats": 5},
    "seeds that all pairs share": {"luck": 1.5, "repeats": 5, "shared": True},
}
"""Settings of `league`, then of `play`; `specialists` is the number of bots that play one role
only, by turns."""


SHAPE = ("boards", "spread", "special", "tails", "extreme", "pairs", "luck")


def openskill(
    names: tuple[str, ...], arrays: Arrays, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return OpenSkill's mu and ordinal of each of these bots; matches are rated one by one in a
    random order.
    """
    model = PlackettLuce()
    bots = [model.rating() for _ in names]
    bot = np.array([names.index(entry.bot) for entry in arrays.entries])[arrays.entry]
    side = np.array([entry.side for entry in arrays.entries])[arrays.entry]
    starts = np.searchsorted(arrays.match, np.arange(len(arrays.seed) + 1))
    for match in random.permutation(len(arrays.seed)):
        seats = slice(starts[match], starts[match + 1])
        teams = [sorted(set(bot[seats][side[seats] == one].tolist())) for one in (0, 1)]
        scores = [float(arrays.score[seats][side[seats] == one].max()) for one in (0, 1)]
        rated = model.rate([[bots[index] for index in team] for team in teams], scores=scores)
        for team, after in zip(teams, rated, strict=True):
            for index, rating in zip(team, after, strict=True):
                bots[index] = rating
    return np.array([bot.mu for bot in bots]), np.array([bot.ordinal() for bot in bots])


def ours(name: str, bots: tuple[str, ...], arrays: Arrays) -> Floats:
    """Return the strength of each of these bots by one of our ratings."""
    by_bot = {
        rating.bot: rating.strength.value
        for rating in ratings.find(name).rate(arrays, refits=2).ratings
    }
    average = float(
        np.mean(list(by_bot.values()))
    )  # of a bot that happens to have met nobody, nothing is known
    return np.array([by_bot.get(bot, average) for bot in bots])


def tau(found: Floats, truth: Floats) -> float:
    """Kendall's tau-b; the truth has no ties."""
    one, other = np.triu_indices(len(truth), 1)
    signs = np.sign(found[one] - found[other])
    return float(
        (signs * np.sign(truth[one] - truth[other])).sum() / np.sqrt((signs != 0).sum() * len(one))
    )


def order(leagues: int) -> Iterator[list[str]]:
    """Yield for each kind of league how well each rating finds the true order."""
    rated: dict[str, Callable[[tuple[str, ...], Arrays], Floats]] = {
        "bradley_terry": partial(ours, "bradley_terry"),
        "points": partial(ours, "points"),
    }
    for name, kinds in LEAGUES.items():
        random, total, matches = np.random.default_rng(SEED), np.zeros(4), 0
        settings = dict(kinds)
        boards = settings.pop("boards")
        for _ in range(leagues):
            field = league(random, bots=BOTS, boards=boards)
            arrays = play(random, field, chosen=pairs_kept(random, BOTS, KEPT), **settings)
            values = [
                *(rate(field.bots, arrays) for rate in rated.values()),
                *openskill(field.bots, arrays, random),
            ]
            total += [tau(value, field.truth) for value in values]
            matches += len(arrays.seed)
        figures = [f"{value:.3f}" for value in total / leagues]
        yield [name, f"{matches // leagues:,}", *figures]


def covered(found: ratings.Ratings, truth: dict[str, float]) -> dict[str, bool]:
    """For each bot whether the interval holds its true strength, the average bot at 0."""
    middle = center(np.array([truth[rating.bot] for rating in found.ratings]))
    return {
        rating.bot: bool(rating.strength.low <= truth[rating.bot] - middle <= rating.strength.high)
        for rating in found.ratings
    }


def coverage(leagues: int) -> Iterator[list[str]]:
    """Yield for each kind of league how often a 95 % interval holds the truth."""
    for name, kinds in COVERAGE.items():
        random, held = np.random.default_rng(SEED), list[dict[str, bool]]()
        settings = dict(kinds)
        size = settings.pop("bots", BOTS)
        shape = {key: settings.pop(key) for key in SHAPE if key in settings}
        chosen_pairs, single = settings.pop("kept", None), settings.pop("specialists", 0)
        for _ in range(leagues):
            field = league(random, bots=size, **shape)
            chosen = None if chosen_pairs is None else pairs_kept(random, size, chosen_pairs)
            chosen = by_role(single) if single else chosen
            result = ratings.find("bradley_terry").rate(
                play(random, field, chosen=chosen, **settings), refits=400
            )
            truth = limit(field, settings.get("seating", "sides"))
            held.append(covered(result, dict(zip(field.bots, truth, strict=True))))
        every = [hit for league_ in held for hit in league_.values()]
        shares = [np.mean(list(league_.values())) for league_ in held]
        error = 2 * np.std(shares) / np.sqrt(len(shares))
        last = len(shape.get("extreme", ())) or single
        extra = [
            hit for league_ in held for bot, hit in league_.items() if int(bot[3:]) >= size - last
        ]
        apart = f"{np.mean(extra):.1%}" if last else ""
        yield [name, f"{np.mean(every):.1%}", f"±{100 * error:.1f}", apart]


def pairs_kept(random: np.random.Generator, bots: int, share: float) -> Callable[[Floats], Floats]:
    """Return a choice of seatings that leaves whole pairs of bots out, so that `share` of the pairs
    are played.
    """
    pairs = [(one, other) for one in range(bots) for other in range(one)]
    drawn = random.permutation(len(pairs))[: round(share * len(pairs))]
    kept = {pairs[number] for number in drawn}

    def chosen(rows: Floats) -> Floats:
        return np.array([kept.issuperset(met(row)) for row in rows.tolist()])

    return chosen


def by_role(specialists: int) -> Callable[[Floats], Floats]:
    """A choice of seatings in which the last bots play one role each, by turns the first and the
    second.
    """

    def chosen(rows: Floats) -> Floats:
        least = rows.max() + 1 - specialists
        return ~((rows >= least) & (rows % 2 != np.arange(rows.shape[1]))).any(axis=1)

    return chosen


def speed() -> Iterator[list[str]]:
    """Yield how long a rating with 1,000 refits takes, of 25 bots on two boards."""
    random = np.random.default_rng(SEED)
    field = league(random, bots=25, boards=(DUEL, TRIO))
    for repeats in (9, 84, 834):
        arrays = play(random, field, repeats=repeats, kind="graded")
        began = perf_counter()
        ratings.find("bradley_terry").rate(arrays)
        yield [f"{len(arrays.seed):,}", f"{perf_counter() - began:.2f}"]


def main(leagues: int, chosen: Sequence[str]) -> None:
    """Print the tables that were chosen."""
    if "order" in chosen:
        title = f"Kendall's tau to the true order, {leagues} leagues of {BOTS} bots a row"
        head = ["league", "matches", "ours", "points", "OpenSkill", "its ordinal"]
        print_table(title, head, order(leagues))
    if "coverage" in chosen:
        title = f"{leagues} leagues a row"
        head = ["league", "covered", "two standard errors", "of those bots alone"]
        print_table(title, head, coverage(leagues))
    if "speed" in chosen:
        load = os.getloadavg()[0]
        print_table(f"A fit, one round, load {load:.1f}", ["matches", "seconds"], speed())


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    main(asked, sys.argv[2:] or ["order", "coverage", "speed"])
