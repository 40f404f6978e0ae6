"""Direct encounter, FIDE C.07 article 6: the points that the tied bots made against each other.

Two that met often have the mean of their meetings (6.1.2). Where some of the tied never met, only those have a figure
whose place among the tied no outcome of the missing meetings could change (6.3).
"""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """A mean point for each of the other tied bots; None for who could still be overtaken or could overtake."""
    means = {
        bot: [met.points / met.games for other, met in table.against(bot).items() if other in tied] for bot in tied
    }
    worst = {bot: sum(mean, Fraction()) for bot, mean in means.items()}
    best = {bot: worst[bot] + len(tied) - 1 - len(mean) for bot, mean in means.items()}
    return worst if best == worst else _certain(worst, best)


def _certain(worst: dict[str, Fraction], best: dict[str, Fraction]) -> Values:
    found: dict[str, Fraction | None] = dict.fromkeys(worst)
    for bot in sorted(worst, key=lambda bot: (-worst[bot], bot)):
        rivals = [other for other in worst if other != bot and found[other] is None]
        if any(best[other] >= worst[bot] for other in rivals):
            break
        found[bot] = worst[bot]
    return found
