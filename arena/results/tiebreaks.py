"""Tie-breaks: the order of bots whose rating and points are equal.

A tie-break is one function here and one row of TIE_BREAKS. The formulas are FIDE's (Handbook C.07,
in force from 1 August 2024). Its tie-breaks that need ratings from elsewhere, colours or rounds are
left out, because matches here have no order. All figures are exact fractions.

A match counts as a game of chess between every two bots that are on different sides of it: the bot
whose side scored more has one point, and both have half a point where the sides scored alike.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from arena.errors import ArenaError, known_are

Figures = Mapping[str, Fraction | None]


class Encounters(NamedTuple):
    """The results of one bot against one opponent."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self)

    @property
    def points(self) -> Fraction:
        """A point for each win and half a point for each draw."""
        return self.won + Fraction(self.drawn, 2)


@dataclass(frozen=True, eq=False)
class Crosstable:
    """The results of every two bots that met."""

    met: Mapping[str, Mapping[str, Encounters]]
    """By bot, then by opponent: each pair stands here twice, once from either side."""

    @classmethod
    def count(cls, rows: Iterable[tuple[str, str, int, int]]) -> "Crosstable":
        """Add up rows of bot, opponent, result and number of games, from either side.

        A result is 1 for won, 0 for drawn, -1 for lost.
        """
        met: dict[str, dict[str, Encounters]] = {}
        for bot, opponent, result, games in rows:
            opponents = met.setdefault(bot, {})
            won, draws, lost = opponents.get(opponent, Encounters())
            if result == 1:
                won += games
            elif result == 0:
                draws += games
            else:
                lost += games
            opponents[opponent] = Encounters(won, draws, lost)
        return cls(met)

    def score(self, bot: str) -> Fraction:
        """Return the points of a bot against all its opponents."""
        total = Fraction()
        for encounters in self.against(bot).values():
            total += encounters.points
        return total

    def games(self, bot: str) -> int:
        """Return the number of a bot's games."""
        opponents = self.against(bot).values()
        return sum(encounters.games for encounters in opponents)

    def against(self, bot: str) -> Mapping[str, Encounters]:
        """Return a bot's results by opponent; empty for a bot that met nobody."""
        return self.met.get(bot, {})


def wins(table: Crosstable, bot: str) -> Fraction:
    """Return the number of games won (FIDE C.07 article 7.2). A forfeit of the opponent is one."""
    opponents = table.against(bot).values()
    won = sum(encounters.won for encounters in opponents)
    return Fraction(won)


def sonneborn_berger(table: Crosstable, bot: str) -> Fraction:
    """Return the sum of each opponent's score times the points made against it (article 9.1)."""
    total = Fraction()
    for opponent, encounters in table.against(bot).items():
        score = table.score(opponent)
        total += score * encounters.points
    return total


def koya(table: Crosstable, bot: str) -> Fraction:
    """Return the points made against strong opponents (article 9.2).

    An opponent is strong if it made at least half of its possible points.
    """
    total = Fraction()
    for opponent, encounters in table.against(bot).items():
        score = table.score(opponent)
        is_strong = 2 * score >= table.games(opponent)
        if is_strong:
            total += encounters.points
    return total


def opponents_scores(table: Crosstable, bot: str) -> list[Fraction]:
    """Return the opponent's score for each game, the lowest first."""
    scores = []
    for opponent, encounters in table.against(bot).items():
        score = table.score(opponent)
        score_by_game = [score] * encounters.games
        scores.extend(score_by_game)
    return sorted(scores)


def buchholz(table: Crosstable, bot: str) -> Fraction:
    """Return the sum of the opponents' scores (article 8.1).

    It separates no bots where each bot met every other.
    """
    return sum(opponents_scores(table, bot), Fraction())


def buchholz_cut_1(table: Crosstable, bot: str) -> Fraction:
    """Return Buchholz without one game against the lowest score (articles 8.1 and 14)."""
    scores = opponents_scores(table, bot)
    return sum(scores[1:], Fraction())


def buchholz_median_1(table: Crosstable, bot: str) -> Fraction:
    """Return Buchholz without a game against the lowest and one against the highest score.

    The formula is that of articles 8.1 and 14.
    """
    scores = opponents_scores(table, bot)
    return sum(scores[1:-1], Fraction())


def average_opponents_buchholz(table: Crosstable, bot: str) -> Fraction | None:
    """Return the mean of the opponents' Buchholz over all games (article 8.2).

    It is None for a bot that met nobody.
    """
    against = table.against(bot)
    if not against:
        return None
    total = Fraction()
    for opponent, encounters in against.items():
        opponents_buchholz = buchholz(table, opponent)
        total += opponents_buchholz * encounters.games
    return total / table.games(bot)


def direct_encounter(table: Crosstable, tied: Collection[str]) -> Figures:
    """Return the points that the tied bots made against each other (article 6).

    Two bots that met often have the mean of their games (6.1.2). Where some of the tied bots never
    met, a bot has a figure only if no result of the missing games could change its rank among them,
    and None otherwise (6.3).
    """
    worst: dict[str, Fraction] = {}  # by bot: its points if it loses all missing games
    best: dict[str, Fraction] = {}  # by bot: its points if it wins them
    for bot in tied:
        means = []
        for rival, encounters in table.against(bot).items():
            if rival in tied:
                mean = encounters.points / encounters.games
                means.append(mean)
        missing = len(tied) - 1 - len(means)
        worst[bot] = sum(means, Fraction())
        best[bot] = worst[bot] + missing
    if best == worst:
        return worst

    def highest_first(bot: str) -> tuple[Fraction, str]:
        return -worst[bot], bot

    figures: dict[str, Fraction | None] = dict.fromkeys(worst)
    for bot in sorted(worst, key=highest_first):
        for rival in worst:
            if rival == bot or figures[rival] is not None:
                continue
            if best[rival] >= worst[bot]:
                return figures
        figures[bot] = worst[bot]
    return figures


TieBreak = Callable[[Crosstable, Collection[str]], Figures]
"""Return a figure for each of the tied bots.

A higher figure ranks higher; None ranks last and separates no bots.
"""


def _for_each(formula: Callable[[Crosstable, str], Fraction | None]) -> TieBreak:
    """Make a tie-break of a formula that does not depend on the other tied bots."""
    return lambda table, tied: {bot: formula(table, bot) for bot in tied}


TIE_BREAKS: Mapping[str, TieBreak] = {
    "average_opponents_buchholz": _for_each(average_opponents_buchholz),
    "buchholz": _for_each(buchholz),
    "buchholz_cut_1": _for_each(buchholz_cut_1),
    "buchholz_median_1": _for_each(buchholz_median_1),
    "direct_encounter": direct_encounter,
    "koya": _for_each(koya),
    "sonneborn_berger": _for_each(sonneborn_berger),
    "wins": _for_each(wins),
}


def names() -> tuple[str, ...]:
    """Return the names of all tie-breaks."""
    return tuple(TIE_BREAKS)


def find(name: str) -> TieBreak:
    """Return the tie-break of that name; raise ArenaError if there is none."""
    if name not in TIE_BREAKS:
        raise ArenaError(f"tie_breaks: there is no {name!r}; {known_are(name, names())}")
    return TIE_BREAKS[name]


@dataclass(frozen=True, kw_only=True)
class DecidedRank:
    """The rank of a bot, and the figures that decided it."""

    rank: int
    """Bots that no tie-break separates share a rank (1, 1, 3)."""
    bot: str
    figures: Figures
    """The figures that were computed, by tie-break in their order.

    There are none where no other bot has the same points.
    """


def rank(
    points: Mapping[str, float],
    table: Crosstable,
    tiebreaks: Sequence[str],
) -> tuple[DecidedRank, ...]:
    """Rank the bots by points, then by each tie-break in turn, and bots still tied by name."""
    figures: dict[str, dict[str, Fraction | None]] = {bot: {} for bot in points}
    rules = [(name, find(name)) for name in tiebreaks]
    ranked: list[DecidedRank] = []
    for equal in _groups(points):
        for tied in _separate(table, equal, rules, figures):
            first = len(ranked) + 1
            for bot in tied:
                decided = DecidedRank(
                    rank=first,
                    bot=bot,
                    figures=figures[bot],
                )
                ranked.append(decided)
    return tuple(ranked)


def _separate(
    table: Crosstable,
    tied: list[str],
    rules: Sequence[tuple[str, TieBreak]],
    figures: Mapping[str, dict[str, Fraction | None]],
) -> Iterator[list[str]]:
    """Yield the tied bots in groups, best first.

    A tie-break is computed again among bots that it has left tied, if it has separated others.
    FIDE's C.07 article 6.2 demands this of the direct encounter; no other figure depends on which
    bots are tied.
    """
    if len(tied) == 1 or not rules:
        yield tied
        return
    name, rule = rules[0]
    values = rule(table, tied)
    for bot in tied:
        if figures[bot].get(name) is None:
            figures[bot][name] = values[bot]
    groups = _groups(values)
    if len(groups) == 1:
        rules = rules[1:]
    for group in groups:
        yield from _separate(table, group, rules, figures)


def _groups(values: Figures | Mapping[str, float]) -> list[list[str]]:
    """Return the bots in groups of equal values, the highest first and None last.

    The bots of a group stand by name.
    """

    def highest_first(bot: str) -> tuple[bool, Fraction | float, str]:
        value = values[bot]
        if value is None:
            return True, 0, bot
        return False, -value, bot

    groups: dict[object, list[str]] = {}
    for bot in sorted(values, key=highest_first):
        group = groups.setdefault(values[bot], [])
        group.append(bot)
    return list(groups.values())
