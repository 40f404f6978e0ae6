"""How sure a rating is: intervals, ranks, chances and tiers, read off many draws of the same figures.

It owns how draws become a `Ratings`; where they come from (refits, resampled means) is not its business.
"""

from collections.abc import Mapping

import numpy as np

from arena.ratings import Rating, Ratings, Strength
from arena.ratings.fitting import pairings
from arena.ratings.fitting.columns import Floats, Ints
from arena.ratings.fitting.evidence import Evidence

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
ALIKE = 9
"""Digits after the point: figures that differ only beyond are equal."""


def ratings_of(
    unit: str,
    seen: Evidence,
    rows: Floats,
    roles: Mapping[tuple[int, int], Strength],
    advantages: Mapping[int, Strength],
) -> Ratings:
    """Ratings of the bots that played, from a row a bot: its value, then draws of it; roles by (bot, place)."""
    played, values = seen.played, np.round(rows[:, 0], ALIKE)
    order = sorted(np.flatnonzero(played).tolist(), key=lambda bot: (-values[bot], bot))
    chances, ranks = better(rows[order, 1:]), rank_intervals(rows[order, 1:])
    where = [(place.label, place.role) for place in seen.places]
    told = zip(order, places(values[order]).tolist(), strengths(rows[order]), ranks, tiers(chances), strict=True)
    ratings = (
        Rating(
            rank=rank,
            bot=seen.bots[bot],
            matches=int(played[bot]),
            strength=strength,
            ranks=(min(rank, best), max(rank, worst)),
            tier=tier,
            roles={where[place]: roles[bot, place] for place in range(len(where)) if (bot, place) in roles},
        )
        for bot, rank, strength, (best, worst), tier in told
    )
    return Ratings(
        unit=unit,
        ratings=tuple(ratings),
        better=chances,
        draws=rows[order, 1:],
        advantages={where[place]: one for place, one in sorted(advantages.items())},
        groups=pairings.groups(seen),
        repeated=pairings.repeated(seen),
    )


def strengths(rows: Floats) -> list[Strength]:
    """Figures, the first of each row, with the interval that holds 95 % of the other ones, their draws."""
    low, high = np.quantile(rows[:, 1:], (TAIL, 1 - TAIL), axis=1) if len(rows) else np.zeros((2, 0))
    value = rows[:, 0]
    return list(map(Strength, value.tolist(), np.minimum(value, low).tolist(), np.maximum(value, high).tolist()))


def difference(found: Ratings, bot: str, other: str) -> Strength:
    """By how much one bot is stronger than another, with the interval of that difference; both must be rated."""
    place = {one.bot: number for number, one in enumerate(found.ratings)}
    one, two = place[bot], place[other]
    value = found.ratings[one].strength.value - found.ratings[two].strength.value
    return strengths(np.concatenate(([value], found.draws[one] - found.draws[two]))[None])[0]


def better(draws: Floats) -> Floats:
    """N x N: the share of the draws in which the row's bot is above the column's; a tie is half of one."""
    above = np.array([(one > draws).mean(axis=1) for one in draws]).reshape(len(draws), len(draws))
    return np.asarray(0.5 * (1 + above - above.T))


def rank_intervals(draws: Floats) -> list[tuple[int, int]]:
    """The best and worst rank of each bot that 95 % of the draws leave open."""
    ranks = places(draws)
    best = np.quantile(ranks, TAIL, axis=1, method="lower") if len(draws) else ranks
    worst = np.quantile(ranks, 1 - TAIL, axis=1, method="higher") if len(draws) else ranks
    return list(zip(best.astype(int).tolist(), worst.astype(int).tolist(), strict=True))


def places(values: Floats) -> Ints:
    """Each bot's rank, 1 for the highest; equals share one. Values may have a column a draw."""
    return np.array([1 + (one < values).sum(axis=0) for one in values], dtype=np.int64).reshape(values.shape)


def tiers(chances: Floats) -> list[int]:
    """A tier for each bot, best first: a bot joins the best's tier unless that is better in over 97.5 % of the draws.

    Two whose 95 % interval of the difference leaves out 0 are so kept apart.
    """
    found: list[int] = []
    best = 0
    for bot in range(len(chances)):
        if chances[best, bot] > 1 - TAIL:
            best = bot
        found.append(found[-1] + (best == bot) if found else 1)
    return found
