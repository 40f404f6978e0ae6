"""The ranks of a leaderboard. Pure.

The rating decides, but a bot that scored nothing stands behind all that did: no match says that it is stronger than
any of them. Bots of equal rating are ordered by points, then by the event's tie-breaks in their order; bots that are
still tied share a rank and stand by name. Specialists follow, then bots that never played, both without a rank: a bot
that plays one role of five, however well, is not the best bot of an event.
"""

# Ties are exact. Ratings are rounded first, because their last digits depend on the CPU, and points are computed from
# fractions, so two bots that earned the same have the same floats. A level is a distinct pair of rating and points;
# those without points are the lowest. Tie-breaks see only the levels. Where every bot has a level of its own no
# tie-break is computed, and the crosstable is not even read: it takes a pass over all matches, and ties among rated
# bots are rare.

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from arena.results import tiebreaks
from arena.results.ratings import Ratings
from arena.results.standings import Standing
from arena.results.tiebreaks import Crosstable

DECIMALS = 9
"""Ratings that differ only beyond these decimals are equal."""


def ranked(
    standings: Sequence[Standing],
    ratings: Ratings,
    table: Callable[[], Crosstable],
    tie_breaks: Sequence[str],
    specialists: Collection[str] = (),
) -> tuple[Standing, ...]:
    """Return the standings as the ratings order them; `table` is called only where bots are tied.

    Specialists are grouped by the board roles that they play, the largest group first; the rating orders each group.
    """
    strength = {rating.bot: round(rating.strength.value, DECIMALS) for rating in ratings.ratings}
    by_bot = {standing.bot: standing for standing in standings}
    worth = {
        bot: (standing.points > 0, strength[bot], standing.points)
        for bot, standing in by_bot.items()
        if standing.points is not None and bot not in specialists
    }
    levels = {value: float(level) for level, value in enumerate(sorted(set(worth.values())))}
    tied = len(levels) < len(worth)
    points = {bot: levels[value] for bot, value in worth.items()}
    decided = tiebreaks.rank(points, table() if tied and tie_breaks else Crosstable({}), tie_breaks if tied else ())
    fields = Counter(frozenset(by_bot[bot].roles) for bot in specialists)

    def field_then_rating(bot: str) -> tuple[object, ...]:
        field = frozenset(by_bot[bot].roles)
        return -fields[field], -len(field), sorted(field), -strength[bot], bot

    return (
        *(replace(by_bot[result.bot], rank=result.rank, tie_breaks=result.figures) for result in decided),
        *(replace(by_bot[bot], rank=None) for bot in sorted(specialists, key=field_then_rating)),
        *(standing for standing in standings if standing.points is None),
    )
