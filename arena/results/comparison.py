"""Two bots of a game compared, by the ratings of all matches; and the bots of an event, now and in another event."""

from dataclasses import dataclass
from math import exp, log
from typing import Any

from arena.results.columns import LEADERBOARD
from arena.results.leaderboard import Results
from arena.results.ratings import Strength
from arena.results.ratings.fitting.intervals import difference
from arena.results.tables import rows_of

LOGITS_PER_UNIT = {"Elo": log(10) / 400}
"""Points have no such scale."""


@dataclass(frozen=True, kw_only=True)
class BotComparison:
    """Two bots in one game."""

    difference: Strength
    """By how much the first is rated above the second, in `unit`."""
    unit: str
    chance: float
    """The probability that the first is better."""
    tied: bool
    """True if matches tie them together, perhaps through other bots; else nothing can be said of the difference."""
    met: bool
    """True if they played a match against each other."""
    share_board: bool
    """True if there is a board that both played, in whatever role."""

    @property
    def real(self) -> bool:
        """True if the interval of the difference does not hold zero."""
        return self.tied and not self.difference.low <= 0 <= self.difference.high

    @property
    def expected_score(self) -> float | None:
        """The first bot's expected score against the second, 0 to 100, where roles are even; None if unknown."""
        if self.unit not in LOGITS_PER_UNIT or not self.share_board:
            return None
        return 100 / (1 + exp(-LOGITS_PER_UNIT[self.unit] * self.difference.value))


def compare(league: Results, bot: str, opponent: str) -> BotComparison | None:
    """Compare two bots by all matches of a league; None unless both played there."""
    ratings = league.ratings
    ranks = {rating.bot: rank for rank, rating in enumerate(ratings.ratings)}
    if not {bot, opponent} <= ranks.keys():
        return None
    crosstable = league.crosstable()
    boards, others = (
        set(standing.boards) for standing in league.standings if standing.bot in {bot, opponent}
    )
    return BotComparison(
        difference=difference(ratings, bot, opponent),
        unit=ratings.unit,
        chance=float(ratings.better[ranks[bot], ranks[opponent]]),
        tied=any({bot, opponent} <= set(group) for group in ratings.groups),
        met=bool(((crosstable["bot"] == bot) & (crosstable["opponent"] == opponent)).any()),
        share_board=bool(boards & others),
    )


def since(now: Results, then: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `SINCE` for each game, by its name: the bots that play now, best first, then the others.

    Ratings of two events compare where their fields are alike: each has its own average bot.
    """
    earlier = {league.game: _played(league) for league in then.leagues}
    changes: dict[str, list[dict[str, Any]]] = {}
    for league in now.leagues:
        rows, before = _played(league), earlier.get(league.game, {})
        changes[league.game or ""] = [
            {name: rows.get(bot, {}).get(name) for name in ("rank", "rating", "points")}
            | {
                f"{name}_then": before.get(bot, {}).get(name)
                for name in ("rank", "rating", "points")
            }
            | {"bot": bot, "display": (rows.get(bot) or before[bot])["display"]}
            for bot in {**rows, **before}
        ]
    return changes


def _played(league: Results) -> dict[str, dict[str, Any]]:
    """Return the rows of the leaderboard of the bots that played, by bot."""
    rows = rows_of(league.leaderboard(), LEADERBOARD.rated_in(league.unit))
    return {row["bot"]: row for row in rows if row["points"] is not None}
