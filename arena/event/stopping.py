"""When the order of the bots is certain enough to stop: looks at the ratings of an event that is being played.

It knows nothing of schedules and workers, and decides nothing about when to look; plan.py does.
"""

from collections.abc import Mapping, Sequence
from math import log

from arena.results import ratings
from arena.results.archive import Entry
from arena.values import FEWEST_RANKED, Event, OpenRanks

# The rule
# --------
# Whoever looks at an event again and again, and stops as soon as two bots are 95 % apart, is wrong far more often than
# 5 %: each look is another chance for luck. Two corrections were compared (benchmarks/stopping.py measures both):
#
# - Alpha spending (Lan and DeMets, 1983): each look may use a part of the 5 %, by the share of the plan that was
#   played. It is the sharper rule at the end of a plan. But the shares need an end that is fixed: whoever raises
#   `repeats` later and goes on has spent what is not his any more, and a ladder has no end at all.
# - Bounds that are valid at all times (Robbins, 1970: the normal mixture): one bound for all looks, however many, with
#   no end in it. This is used here, because an event may always be extended.
#
# Let z be the difference of two bots' strengths, divided by its standard deviation over the refits of the fit, and t
# the information, which grows with the matches a bot played. Under the mixture with weight r,
#
#     z^2 > (1 + r/t) * (log(1 + t/r) + 2 log(1/a))
#
# holds at any look whatever with a chance of at most `a` if the bots are equal. The bound is nearly flat in t. r = 10
# matches a bot makes it narrowest where events with close bots are decided, at some 20 to 2,000 matches each.
#
# Many pairs. "The order is certain" when *all* pairs are apart, also those that are not neighbours. If the order is
# wrong, then two bots that are neighbours in the true order are the wrong way round, and there are only n - 1 such
# pairs. So a = (1 - confidence) / (n - 1) keeps the promise for the whole order, whatever depends on whatever. "The
# best is certain" when the first bot is apart from all others: if it is not the best, it was wrongly put above the best
# one, again one of n - 1 pairs.
#
# The bound takes z for normal and its deviation for known, which holds for many matches only. So nothing is certain
# before each bot has FEWEST matches.

REFITS = 400
"""Draws of each fit, which give a standard deviation to 4 %."""
BEST_MATCHES = 10
"""r in the bound, in matches a bot."""
FEWEST = 6
"""Matches that each bot must have played."""
STEP = 1.1
"""Looks are so far apart, as a factor of the blocks played: twice the blocks cost eight fits, and a stop is late by a
tenth at most."""

ORDER, BEST = "order is certain", "best is certain"


def next_look(blocks: int) -> int:
    """Return the number of blocks after which to look next, after a look at so many."""
    return max(blocks + 1, int(blocks * STEP))


def holds(rule: str, still_open: Sequence[OpenRanks]) -> bool:
    """Return whether a rule says to stop when these ranks are open."""
    return not still_open if rule == ORDER else all(ranks.first > 1 for ranks in still_open)


def bound(matches: float, confidence: float, bots: int) -> float:
    """Return how large the square of z must be after so many matches a bot."""
    chance = (1 - confidence) / max(1, bots - 1)
    share = BEST_MATCHES / matches
    return (1 + share) * (log(1 + 1 / share) - 2 * log(chance))


def open_ranks(event: Event, figures: bytearray, entries: Mapping[int, Entry]) -> tuple[OpenRanks, ...]:
    """Return the ranks that these matches leave open, best first: runs of bots that are not all apart.

    Only bots that play the whole event have ranks, as in the leaderboard, unless fewer than two do.
    """
    import numpy as np  # an event without rules to stop needs none of this

    from arena.results.arrays import Arrays

    ranked = event.generalists if len(event.generalists) >= FEWEST_RANKED else {bot.name for bot in event.bots}
    if not figures:
        return _runs(sorted(ranked), [])
    rated = ratings.find(event.rating).rate(Arrays.decode(figures, entries), seed=event.resampling_seed, refits=REFITS)
    rows = [row for row, rating in enumerate(rated.ratings) if rating.bot in ranked]
    names = [rated.ratings[row].bot for row in rows]
    value = np.array([rated.ratings[row].strength.value for row in rows])
    matches = np.array([rated.ratings[row].matches for row in rows], dtype=np.float64)
    scatter = np.atleast_2d(np.cov(rated.draws[rows]))
    variance = np.diag(scatter)[:, None] + np.diag(scatter) - 2 * scatter
    fewer = np.minimum(matches[:, None], matches)
    ahead = value[:, None] - value
    needed = np.array([[bound(each, event.confidence, len(ranked)) for each in row] for row in fewer.tolist()])
    apart = (ahead > 0) & (ahead**2 > needed * variance) & (fewer >= FEWEST) & rated.bounded[np.ix_(rows, rows)]
    closed = [bool(apart[:index, index:].all()) for index in range(1, len(names))]
    unplayed = sorted(ranked - set(names))
    return _runs([*names, *unplayed], [*closed, *[False] * len(unplayed)])


def _runs(names: Sequence[str], closed: Sequence[bool]) -> tuple[OpenRanks, ...]:
    """Return the runs of two bots or more between places in the order that are `closed`: all above beat all below."""
    ends = [index for index in range(1, len(names)) if index <= len(closed) and closed[index - 1]]
    spans = zip([0, *ends], [*ends, len(names)], strict=True)
    return tuple(
        OpenRanks(first=start + 1, last=end, bots=tuple(names[start:end])) for start, end in spans if end - start > 1
    )
