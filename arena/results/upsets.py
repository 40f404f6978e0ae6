"""Upsets: matches that a bot won against a better one, as surely as the ratings tell them apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.results.leaderboard import Results
from arena.results.ratings import Rating
from arena.results.standings import best_scores
from arena.values import Played


@dataclass(frozen=True)
class Upset:
    """A match with the best bot of the side that won, and the better one that lost."""

    match: Played
    winner: Rating
    loser: Rating


def upsets(league: Results, matches: Iterable[Played]) -> Iterator[Upset]:
    """Yield the upsets among matches of one game.

    In an upset a bot of a worse tier won, and no bot was at fault.
    """
    ratings = {rating.bot: rating for rating in league.ratings.ratings}
    for match in matches:
        rated = ratings.keys() >= set(match.seats.values())
        if not rated or any(match.endings.values()):
            continue
        scores = best_scores(match)
        best = max(scores)
        if len(scores) == 1 or scores.count(best) > 1:
            continue
        winners = match.sides[scores.index(best)]
        won: list[Rating] = []
        lost: list[Rating] = []
        for role, bot in match.seats.items():
            if role in winners:
                won.append(ratings[bot])
            else:
                lost.append(ratings[bot])
        winner = min(won, key=lambda rating: rating.rank)
        loser = min(lost, key=lambda rating: rating.rank)
        if winner.tier > loser.tier:
            yield Upset(match, winner, loser)
