"""Comparisons by ratings: of two bots of a game, and of the bots of an event with another event."""

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
    """True if matches tie them together, perhaps through other bots.

    If it is false, nothing can be said of the difference.
    """
    met: bool
    """True if they played a match against each other."""
    share_board: bool
    """True if there is a board that both played, in whatever role."""

    @property
    def real(self) -> bool:
        """True if the interval of the difference does not hold zero."""
        if not self.tied:
            return False
        holds_zero = self.difference.low <= 0 <= self.difference.high
        return not holds_zero

    @property
    def expected_score(self) -> float | None:
        """The first bot's expected score against the second, 0 to 100, where roles are even.

        It is None if it is not known.
        """
        if self.unit not in LOGITS_PER_UNIT or not self.share_board:
            return None
        logits = LOGITS_PER_UNIT[self.unit] * self.difference.value
        return 100 / (1 + exp(-logits))


def compare(league: Results, bot: str, opponent: str) -> BotComparison | None:
    """Compare two bots by all matches of a league; None unless both played there."""
    ratings = league.ratings
    ranks = {rating.bot: rank for rank, rating in enumerate(ratings.ratings)}
    if bot not in ranks or opponent not in ranks:
        return None
    chance = ratings.better[ranks[bot], ranks[opponent]]
    pair = {bot, opponent}
    tied = any(pair.issubset(group) for group in ratings.groups)

    standings = {standing.bot: standing for standing in league.standings}
    boards = standings[bot].boards
    boards_of_opponent = standings[opponent].boards
    share_no_board = boards.keys().isdisjoint(boards_of_opponent)

    crosstable = league.crosstable()
    is_bot = crosstable["bot"] == bot
    is_opponent = crosstable["opponent"] == opponent
    met = is_bot & is_opponent

    return BotComparison(
        difference=difference(ratings, bot, opponent),
        unit=ratings.unit,
        chance=float(chance),
        tied=tied,
        met=bool(met.any()),
        share_board=not share_no_board,
    )


def since(now: Results, then: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `SINCE` for each game, by its name.

    The bots that play now stand first, the best before all, then the bots that left. Ratings of two
    events compare where their fields are alike: each has its own average bot.
    """
    earlier = {league.game: _played(league) for league in then.leagues}
    changes: dict[str, list[dict[str, Any]]] = {}
    for league in now.leagues:
        current = _played(league)
        before = earlier.get(league.game, {})
        rows = []
        for bot in current | before:
            row_now = current.get(bot, {})
            row_then = before.get(bot, {})
            latest_row = row_now or row_then
            row = {
                "bot": bot,
                "display": latest_row["display"],
            }
            for name in ("rank", "rating", "points"):
                row[name] = row_now.get(name)
                row[f"{name}_then"] = row_then.get(name)
            rows.append(row)
        changes[league.game or ""] = rows
    return changes


def _played(league: Results) -> dict[str, dict[str, Any]]:
    """Return the rows of the leaderboard of the bots that played, by bot."""
    frame = league.leaderboard()
    declared = LEADERBOARD.rated_in(league.unit)
    played = {}
    for row in rows_of(frame, declared):
        if row["points"] is not None:
            bot = row["bot"]
            played[bot] = row
    return played
