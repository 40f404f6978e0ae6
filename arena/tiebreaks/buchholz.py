"""Buchholz, FIDE C.07 article 8.1: the sum of the scores of the opponents, each as often as it was met.

It tells of the opponents alone, so it says nothing where all met all.
"""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """The sum over all meetings."""
    return {bot: sum(scores(table, bot), Fraction()) for bot in tied}


def scores(table: Crosstable, bot: str) -> list[Fraction]:
    """The opponent's score for each meeting, the lowest first."""
    return sorted(table.score(other) for other, met in table.against(bot).items() for _ in range(met.games))
