"""How near schedules come to the true order: `python benchmarks/formats.py [leagues [settings]]`.

Leagues of bots whose strengths are known are played by dice, as each schedule pairs them. Kendall's
tau says how well the rating `bradley_terry` then finds the true order. The width is that of the 95
% intervals of the ten best bots, in logits. Both are medians over the leagues; the quartiles of tau
are in brackets. Machine time is the sum of all turns.
"""

import os
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from time import process_time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command `arena` does

import numpy as np
from tables import print_table

from arena.event.schedules import ladder, round_robin, swiss
from arena.results import ratings
from arena.values import Event, Match, Played
from tests.support import paired
from tests.support.slow_tables import arrays_of

REFITS = 200
TOP = 10
LONG_TURNS, SHORT_TURNS = 1000, 100
SETTINGS = {
    "24 bots": {"bots": 24, "rounds": 23, "spread": 1.0},
    "24 bots, close field": {"bots": 24, "rounds": 23, "spread": 0.4},
    "24 bots, three repeats": {"bots": 24, "rounds": 23, "spread": 1.0, "repeats": 3},
    "24 bots, every third ten times as slow": {"bots": 24, "rounds": 23, "spread": 1.0, "slow": 3},
    "64 bots, 16 pairings each": {"bots": 64, "rounds": 16, "spread": 1.0},
}
"""`rounds`: the pairings of each bot in one repeat; `slow`: one of this number of bots is slow."""


def tau(found: np.ndarray, truth: np.ndarray) -> float:
    """Return Kendall's tau; neither order has ties."""
    one, other = np.triu_indices(len(truth), 1)
    return float(np.sign((found[one] - found[other]) * (truth[one] - truth[other])).mean())


def played(
    event: Event, schedule: Any, strength: dict[str, float], slow: frozenset[str]
) -> list[Played]:
    """Return the results of a whole event; matches of slow bots take more turns."""

    def turns(one: str, other: str) -> int:
        return LONG_TURNS if {one, other} & slow else SHORT_TURNS

    def play(match: Match) -> Played:
        return paired.result(match, paired.DUEL.sides, strength, turns=turns)

    return [match for batch in paired.Run(event, schedule, play).go_on().batches for match in batch]


def measured(matches: list[Played], strength: dict[str, float]) -> tuple[float, float, float]:
    """Return tau, the median width of the ten best bots' intervals, and the machine time in
    thousands of turns.
    """
    found = {
        rating.bot: rating.strength
        for rating in ratings.find("bradley_terry").rate(arrays_of(matches), refits=REFITS).ratings
    }
    best = sorted(strength, key=strength.__getitem__)[-TOP:]
    order = tau(np.array([found[bot].value for bot in strength]), np.array([*strength.values()]))
    width = float(np.median([found[bot].high - found[bot].low for bot in best]))
    return order, width, sum(match.turns for match in matches) / 1000


def rows(leagues: int, names: Collection[str]) -> Iterator[list[str]]:
    """Yield a row for each kind of league and each schedule."""
    for name in names:
        setting = SETTINGS[name]
        count, repeats = setting["bots"], setting.get("repeats", 1)
        pairings = setting["rounds"] * count // 2 * repeats
        each = max(count // 2, ladder.FEWEST_PAIRINGS)
        plans = {
            "round robin": (round_robin, {"rounds": setting["rounds"], "repeats": repeats}),
            "Swiss": (swiss, {"rounds": setting["rounds"], "repeats": repeats}),
            "ladder": (ladder, {"rounds": pairings // each}),
        }
        by_plan: dict[str, list[tuple[float, ...]]] = {plan: [] for plan in plans}
        for league in range(leagues):
            for plan, (schedule, more) in plans.items():
                event = paired.event(plan, count, **more, seed_order=())
                strength = paired.strengths(event, league, setting["spread"])
                slow = (
                    frozenset([*strength][:: setting["slow"]]) if "slow" in setting else frozenset()
                )
                event = replace(event, seed=league)
                began = process_time()
                matches = played(event, schedule, strength, slow)
                took = process_time() - began
                row = *measured(matches, strength), 1000 * took / len(matches), len(matches)
                by_plan[plan].append(row)
        for plan, found in by_plan.items():
            low, order, high = np.percentile([row[0] for row in found], [25, 50, 75])
            width, turns, planning, number = np.median([row[1:] for row in found], axis=0)
            yield [
                name,
                plan,
                f"{number:,.0f}",
                f"{turns:.0f}",
                f"{order:.3f} ({low:.3f} to {high:.3f})",
                f"{width:.2f}",
                f"{planning:.2f}",
            ]


def main(leagues: int, names: Collection[str]) -> None:
    """Print the table."""
    head = ["league", "schedule", "matches", "thousand turns", "tau", "width"]
    head.append("planning, CPU ms a match")
    print_table(f"Medians of {leagues} leagues a row", head, rows(leagues, names))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12, sys.argv[2:] or [*SETTINGS])
