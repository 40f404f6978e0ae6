"""Number of wins, FIDE C.07 article 7.2: the meetings that a bot won. A forfeit of the other counts: it was played."""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """Meetings won."""
    return {bot: Fraction(sum(met.won for met in table.against(bot).values())) for bot in tied}
