"""Upsets: matches that a bot won against a better one, as surely as the ratings tell them apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.results.leaderboard import Results
from arena.results.ratings import Rating
from arena.values import Played


@dataclass(frozen=True)
class Upset:
    """A match with the best bot of the side that won, and the better one that lost."""

    match: Played
    winner: Rating
    loser: Rating


def upsets(league: Results, matches: Iterable[Played]) -> Iterator[Upset]:
    """Yield the upsets among matches of one game: who won is of a worse tier, and nobody was at fault."""
    rated = {rating.bot: rating for rating in league.ratings.ratings}
    for match in matches:
        best = {side: max(match.scores[role] for role in side) for side in match.sides}
        first = [side for side, score in best.items() if score == max(best.values())]
        if (
            len(first) > 1
            or any(match.endings.values())
            or not rated.keys() >= {*match.seats.values()}
        ):
            continue
        won = [rated[match.seats[role]] for role in first[0]]
        lost = [rated[bot] for role, bot in match.seats.items() if role not in first[0]]
        winner, loser = (min(side, key=lambda rating: rating.rank) for side in (won, lost))
        if winner.tier > loser.tier:
            yield Upset(match, winner, loser)
