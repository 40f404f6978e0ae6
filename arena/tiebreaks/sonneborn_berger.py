"""Sonneborn-Berger, FIDE C.07 article 9.1: the score of each opponent, times the points made against it."""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """The sum over all meetings."""
    return {
        bot: sum((table.score(other) * met.points for other, met in table.against(bot).items()), Fraction())
        for bot in tied
    }
