"""Koya, FIDE C.07 article 9.2: the points made against those who made at least half of what they could."""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """The sum over all meetings with the better half."""
    return {
        bot: sum((met.points for other, met in table.against(bot).items() if _half(table, other)), Fraction())
        for bot in tied
    }


def _half(table: Crosstable, bot: str) -> bool:
    return 2 * table.score(bot) >= table.games(bot)
