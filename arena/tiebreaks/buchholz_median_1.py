"""Buchholz Median-1, FIDE C.07 articles 8.1 and 14: Buchholz without the lowest and the highest score, once each."""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values
from arena.tiebreaks.buchholz import scores


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """The sum over all meetings but two."""
    return {bot: sum(scores(table, bot)[1:-1], Fraction()) for bot in tied}
