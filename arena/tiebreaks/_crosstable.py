"""Who met whom, and how that went: what tie-breaks are made of.

A match is a game of chess between each two bots on different sides of it: a point for the bot whose side scored more,
half a point each where both scored alike. It owns the counting, in whole numbers; it ranks nobody.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from arena.event import Played


class Encounters(NamedTuple):
    """How the meetings of one bot with one other went, as the one sees it."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """How often they met."""
        return sum(self)

    @property
    def points(self) -> Fraction:
        """One for each that is won, a half for each that is drawn."""
        return self.won + Fraction(self.drawn, 2)


@dataclass(frozen=True, eq=False)
class Crosstable:
    """Every two bots that met."""

    met: Mapping[str, Mapping[str, Encounters]]
    """By bot, then by opponent; the same meetings stand twice, from either side."""

    def score(self, bot: str) -> Fraction:
        """The points of a bot over all that it met."""
        return sum((met.points for met in self.against(bot).values()), Fraction())

    def games(self, bot: str) -> int:
        """How many meetings a bot had."""
        return sum(met.games for met in self.against(bot).values())

    def against(self, bot: str) -> Mapping[str, Encounters]:
        """A bot's meetings by opponent, none for a bot that met nobody."""
        return self.met.get(bot, {})


def crosstable(played: Iterable[Played]) -> Crosstable:
    """The crosstable of these matches; a bot does not meet itself."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for match in played:
        for one, other in combinations(match.sides, 2):
            mine, theirs = (max(match.scores[role] for role in side) for side in (one, other))
            bots = ({match.seats[role] for role in side} for side in (one, other))
            ahead = (mine > theirs) - (mine < theirs)
            for first, second in _pairs(*bots):
                counts[first, second, ahead] += 1
                counts[second, first, -ahead] += 1
    return counted((*pair, count) for pair, count in counts.items())


def counted(rows: Iterable[tuple[str, str, int, int]]) -> Crosstable:
    """The crosstable of rows (bot, opponent, 1 for ahead, 0 for level or -1 for behind, how often), each way round."""
    met: dict[str, dict[str, Encounters]] = {}
    for bot, opponent, ahead, count in rows:
        before = met.setdefault(bot, {}).get(opponent, Encounters())
        more = Encounters(count * (ahead == 1), count * (ahead == 0), count * (ahead == -1))
        met[bot][opponent] = Encounters(*map(sum, zip(before, more, strict=True)))
    return Crosstable(met)


def _pairs(ones: set[str], others: set[str]) -> Iterable[tuple[str, str]]:
    return ((one, other) for one in ones for other in others if one != other)
