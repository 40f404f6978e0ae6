"""Average of opponents' Buchholz, FIDE C.07 article 8.2: how strong those were whom a bot's opponents met."""

from collections.abc import Collection
from fractions import Fraction

from arena.tiebreaks import Crosstable, Values, buchholz


def values(table: Crosstable, tied: Collection[str]) -> Values:
    """The mean over all meetings; None for a bot that met nobody."""
    return {bot: _mean(table, bot) for bot in tied}


def _mean(table: Crosstable, bot: str) -> Fraction | None:
    met = table.against(bot)
    found = buchholz.values(table, met)
    total = sum(((found[other] or Fraction()) * met[other].games for other in met), Fraction())
    return total / table.games(bot) if met else None
