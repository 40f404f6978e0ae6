"""Two bots of a game compared: what the ratings of all matches tell about the difference between them."""

from dataclasses import dataclass
from math import exp, log

from arena.results.leaderboard import Results
from arena.results.ratings import Strength
from arena.results.ratings.fitting.intervals import difference

LOGITS_PER_UNIT = {"logits": 1.0, "Elo": log(10) / 400}
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
    boards, others = (set(standing.boards) for standing in league.standings if standing.bot in {bot, opponent})
    return BotComparison(
        difference=difference(ratings, bot, opponent),
        unit=ratings.unit,
        chance=float(ratings.better[ranks[bot], ranks[opponent]]),
        tied=any({bot, opponent} <= set(group) for group in ratings.groups),
        met=bool(((crosstable["bot"] == bot) & (crosstable["opponent"] == opponent)).any()),
        share_board=bool(boards & others),
    )
