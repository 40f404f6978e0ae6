"""How right `stop_when` is, and how many matches it saves: `python benchmarks/stopping.py
[leagues]`, 500 in all.

Leagues of bots whose strengths are known are played by dice, repeat by repeat, and looked at as an
event is. `right`: the share of the leagues that stopped with the true order, or the true best bot.
The promise is 95 % of those that stopped. `saved`: the matches of the whole plan over those that
were played, on average over all leagues, also those that never stopped. The same leagues are looked
at under two rules: the bound that is valid at all times, which arena uses, and alpha spending over
the plan; and without any correction.
"""

import os
import sys
from collections.abc import Callable, Iterator
from math import e, log
from statistics import NormalDist
from typing import Any

# As the command `arena` does: the matrices are small, and the threads of several processes hold
# each other up.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from tables import print_table

from arena import parallel
from arena.event import stopping
from arena.results.arrays import Arrays
from arena.results.ranked import ranked_bots
from arena.values import Board, Bot, Event
from tests.support.simulated import DUEL, league, play

SEED = 2026
REPEATS = 60
CONFIDENCE = 0.95
LEAGUES: dict[str, dict[str, Any]] = {
    "6 bots, won or lost": {},
    "6 bots, close field": {"spread": 0.3},
    "6 bots, wide field": {"spread": 2.0},
    "3 bots": {"bots": 3},
    "12 bots, graded scores": {"bots": 12, "kind": "graded"},
}
Bound = Callable[[float, int, float], float]
"""The square that z must reach, by the matches a bot, the number of bots, and the share of the plan
at each look."""


def at_all_times(matches: float, bots: int, share: float) -> float:
    """Arena's own bound."""
    del share
    return float(stopping.bound(np.array(matches), CONFIDENCE, bots - 1))


class Spending:
    """Alpha spending of the Pocock kind: a look may use what the share of the plan allows beyond
    the looks before.
    """

    def __init__(self) -> None:
        self._spent = 0.0

    def __call__(self, matches: float, bots: int, share: float) -> float:
        """Return the bound of the next look; a Bonferroni bound over the looks, which needs no
        integration.
        """
        del matches
        allowed = (1 - CONFIDENCE) / (bots - 1) * log(1 + (e - 1) * share)
        chance, self._spent = allowed - self._spent, allowed
        return NormalDist().inv_cdf(1 - chance / 2) ** 2


def uncorrected(matches: float, bots: int, share: float) -> float:
    """The bound of a single look at a single pair."""
    del matches, bots, share
    return NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) ** 2


def event_of(names: tuple[str, ...]) -> Event:
    """Return an event of these bots on the board of the leagues."""
    roles = tuple(role.role for role in DUEL)
    game, _, name = DUEL[0].label.partition("/")
    board = Board(
        game=game,
        name=name,
        rules="",
        digest="",
        roles=roles,
        sides=tuple((role,) for role in roles),
    )
    bots = tuple(Bot(name=name, command=("true",), digest=name) for name in names)
    return Event(name="league", seed=SEED, boards=(board,), bots=bots)


def stops(
    event: Event, arrays: Arrays, truth: list[str]
) -> dict[tuple[str, str], tuple[int, bool]]:
    """Return, for each bound and rule that stops: after how many repeats, and whether it is
    right.
    """
    bounds: dict[str, Bound] = {
        "at all times": at_all_times,
        "spending": Spending(),
        "uncorrected": uncorrected,
    }
    found: dict[tuple[str, str], tuple[int, bool]] = {}
    look = 1
    while look <= REPEATS:
        played = arrays.select(arrays.repeat < look)
        names, squares, matches = stopping.pairs(event, played, ranked_bots(event))
        upper = np.triu_indices(len(names), 1)
        squares, matches = squares[upper], matches[upper]
        best = upper[0] == 0
        for name, bound in bounds.items():
            needed = bound(float(matches.min()), len(truth), look / REPEATS)
            apart = (squares > needed) & (matches >= stopping.FEWEST)
            if apart.all():
                found.setdefault((name, stopping.ORDER), (look, [*names] == truth))
            if apart[best].all():
                found.setdefault((name, stopping.BEST), (look, names[0] == truth[0]))
        if len(found) == 2 * len(bounds):
            break
        look = stopping.next_look(look)
    return found


def one_league(task: tuple[str, int]) -> dict[tuple[str, str], tuple[int, bool]]:
    """Play and look at one league."""
    name, number = task
    settings = dict(LEAGUES[name])
    random = np.random.default_rng((SEED, number))
    shape = {key: settings.pop(key) for key in ("bots", "spread") if key in settings}
    field = league(random, **{"bots": 6, "boards": (DUEL,), **shape})
    arrays = play(random, field, repeats=REPEATS, **settings)
    truth = [field.bots[row] for row in np.argsort(-field.truth)]
    return stops(event_of(field.bots), arrays, truth)


def rows(leagues: int) -> Iterator[list[str]]:
    """Yield a row for each kind of league, rule and bound."""
    for name in LEAGUES:
        every = list(
            parallel.parallel_map(one_league, [(name, number) for number in range(leagues)])
        )
        for rule in (stopping.ORDER, stopping.BEST):
            for bound in ("at all times", "spending", "uncorrected"):
                ends = [found[bound, rule] for found in every if (bound, rule) in found]
                played = sum(look for look, _ in ends) + REPEATS * (leagues - len(ends))
                right = f"{np.mean([right for _, right in ends]):.1%}" if ends else ""
                saved = leagues * REPEATS / played
                stopped = f"{len(ends) / leagues:.0%}"
                yield [name, rule, bound, stopped, right, f"{saved:.2f}"]


def main(leagues: int) -> None:
    """Print the table."""
    leagues = max(1, leagues // len(LEAGUES))
    title = f"{leagues} leagues a kind, {REPEATS} repeats planned, confidence {CONFIDENCE:.0%}"
    print_table(title, ["league", "rule", "bound", "stopped", "right", "saved"], rows(leagues))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
