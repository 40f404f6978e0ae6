"""How right ratings are, and how quick: `python benchmarks/ratings.py [leagues]`, 200 leagues unless told.

Leagues of 12 bots whose strengths are known are played by dice, with 40 % of the pairs of bots left out. Kendall's tau
says how well each rating finds the true order; coverage, how often a 95 % interval holds the true strength.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from openskill.models import PlackettLuce

from arena import ratings
from arena.ratings.fitting.columns import Columns, Floats

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from simulated import DUEL, TRIO, League, league, pairs_kept, play

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
    "duel, 40 % missing": {"kept": KEPT},
    "duel, 6 bots": {"bots": 6, "repeats": 2},
    "duel, 3 bots": {"bots": 3, "repeats": 3},
    "duel, wide field": {"spread": 3.0},
    "duel, close field": {"spread": 0.3, "special": 0.2},
    "trio": {"boards": (TRIO,), "kind": "graded"},
    "trio, deterministic bots": {"boards": (TRIO,), "kind": "graded", "repeats": 3, "fixed": True},
    "trio, three bots": {"boards": (TRIO,), "kind": "graded", "bots": 6, "seating": "distinct"},
    "duel and trio, 40 % missing": {"boards": (DUEL, TRIO), "kept": KEPT},
}


def openskill(columns: Columns, random: np.random.Generator) -> tuple[Floats, Floats]:
    """OpenSkill's mu and ordinal of each bot, all matches rated one after another in an order that dice give."""
    model = PlackettLuce()
    bots = [model.rating() for _ in columns.bots]
    side = np.array([place.side for place in columns.places])[columns.place]
    starts = np.searchsorted(columns.match, np.arange(len(columns.seed) + 1))
    for match in random.permutation(len(columns.seed)):
        seats = slice(starts[match], starts[match + 1])
        teams = [sorted(set(columns.bot[seats][side[seats] == one].tolist())) for one in (0, 1)]
        scores = [float(columns.score[seats][side[seats] == one].max()) for one in (0, 1)]
        rated = model.rate([[bots[bot] for bot in team] for team in teams], scores=scores)
        for team, after in zip(teams, rated, strict=True):
            for bot, rating in zip(team, after, strict=True):
                bots[bot] = rating
    return np.array([bot.mu for bot in bots]), np.array([bot.ordinal() for bot in bots])


def ours(name: str, columns: Columns) -> Floats:
    """The strength of each bot by one of our ratings, in the order of the columns."""
    by_bot = {one.bot: one.strength.value for one in ratings.find(name).rate(columns, refits=2).ratings}
    average = float(np.mean(list(by_bot.values())))  # of a bot that happens to have met nobody, nothing is known
    return np.array([by_bot.get(bot, average) for bot in columns.bots])


def tau(found: Floats, truth: Floats) -> float:
    """Kendall's tau-b; the truth has no ties."""
    one, other = np.triu_indices(len(truth), 1)
    signs = np.sign(found[one] - found[other])
    return float((signs * np.sign(truth[one] - truth[other])).sum() / np.sqrt((signs != 0).sum() * len(one)))


def order(leagues: int) -> None:
    """Print how well each rating finds the true order."""
    rated: dict[str, Callable[[Columns], Floats]] = {
        "bradley_terry": partial(ours, "bradley_terry"),
        "points": partial(ours, "points"),
    }
    print(f"Kendall's tau to the truth, {leagues} leagues of {BOTS} bots, 40 % of the pairs missing")
    print(f"{'':26}{'matches':>8}{'ours':>8}{'points':>8}{'OpenSkill':>11}{'(ordinal)':>11}{'margin':>8}")
    for name, kinds in LEAGUES.items():
        random, total, matches = np.random.default_rng(SEED), np.zeros(4), 0
        settings = dict(kinds)
        boards = settings.pop("boards")
        for _ in range(leagues):
            one = league(random, bots=BOTS, boards=boards)
            columns = play(random, one, chosen=pairs_kept(random, BOTS, KEPT), **settings)
            values = [*(rate(columns) for rate in rated.values()), *openskill(columns, random)]
            total += [tau(value, one.truth) for value in values]
            matches += len(columns.seed)
        mean = total / leagues
        figures = "".join(f"{value:>{width}.3f}" for value, width in zip(mean, (8, 8, 11, 11), strict=True))
        print(f"{name:26}{matches // leagues:>8}{figures}{mean[0] - mean[1:].max():>8.3f}", flush=True)


def covered(found: ratings.Ratings, one: League) -> tuple[int, int]:
    """How many of the intervals hold the true strength, and of how many."""
    truth = dict(zip(one.bots, one.truth, strict=True))
    inside = [rating.strength.low <= truth[rating.bot] <= rating.strength.high for rating in found.ratings]
    return sum(inside), len(inside)


def coverage(leagues: int) -> None:
    """Print how often a 95 % interval holds the truth."""
    print(f"\nCoverage of 95 % intervals, {leagues} leagues each")
    for name, kinds in COVERAGE.items():
        random, inside, bots = np.random.default_rng(SEED), 0, 0
        settings = dict(kinds)
        size = settings.pop("bots", BOTS)
        shape = {key: settings.pop(key) for key in ("boards", "spread", "special") if key in settings}
        kept = settings.pop("kept", None)
        for _ in range(leagues):
            one = league(random, bots=size, **shape)
            chosen = None if kept is None else pairs_kept(random, size, kept)
            found = ratings.find("bradley_terry").rate(play(random, one, chosen=chosen, **settings), refits=400)
            hit, of = covered(found, one)
            inside, bots = inside + hit, bots + of
        print(f"{name:40}{inside / bots:>7.1%}", flush=True)


def speed() -> None:
    """Print how long a rating with 1,000 refits takes."""
    print("\nSeconds for the fit and 1,000 refits, 25 bots on two boards")
    random = np.random.default_rng(SEED)
    one = league(random, bots=25, boards=(DUEL, TRIO))
    for repeats in (9, 84, 834):
        columns = play(random, one, repeats=repeats, kind="graded")
        began = perf_counter()
        ratings.find("bradley_terry").rate(columns)
        print(f"{len(columns.seed):>10,} matches{perf_counter() - began:>8.2f} s", flush=True)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    chosen = sys.argv[2:] or ["order", "coverage", "speed"]
    if "order" in chosen:
        order(count)
    if "coverage" in chosen:
        coverage(count)
    if "speed" in chosen:
        speed()
