"""Upsets: matches that a bot won against a better one, as surely as the ratings tell them apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

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
        bots = set(match.seats.values())
        if not bots.issubset(ratings):
            continue
        if any(match.endings.values()):
            continue

        scores = best_scores(match)  # a score for each side
        best = max(scores)
        if len(scores) == 1:
            continue
        if scores.count(best) > 1:
            continue  # a draw
        winning_side = scores.index(best)
        winning_roles = match.sides[winning_side]

        won: list[Rating] = []
        lost: list[Rating] = []
        for role, bot in match.seats.items():
            if role in winning_roles:
                won.append(ratings[bot])
            else:
                lost.append(ratings[bot])
        winner = min(won, key=attrgetter("rank"))
        loser = min(lost, key=attrgetter("rank"))
        if winner.tier > loser.tier:
            yield Upset(match, winner, loser)
