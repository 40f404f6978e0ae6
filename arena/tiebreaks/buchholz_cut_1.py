"""Buchholz Cut-1, FIDE C.07 articles 8.1 and 14: Buchholz without the opponent of the lowest score, once."""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values
from arena.tiebreaks.buchholz import scores


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """The sum over all meetings but one."""
    return {bot: sum(scores(table, bot)[1:], Fraction()) for bot in tied}
