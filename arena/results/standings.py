"""Standings: points and results of each bot, from the sums of its matches. Pure; all tables take them from here.

ranked.py gives the rank by the rating; here, where no rating is known, the order is that of points.

They are computed from tallies; a tally is a number of equal seats. The archive keeps the tallies of all its matches, so
that a leaderboard of a million matches reads a few thousand of them.

Points are the mean, over each board role (a role on a board) that a bot played, of its mean score there: each role on
each board has the same weight, however often it was played. A side's score in a match is that of its best role; a side
wins when its score is strictly the highest, draws when it ties for the highest, and loses otherwise.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby

from arena.game import Role
from arena.values import Ending, Played


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The rank and the figures of one bot."""

    rank: int | None
    """By points here, and by rating in a leaderboard (ranked.py), where it is None for a specialist, too. Bots that are
    alike share a rank (1, 1, 3); None for a bot that never played."""
    bot: str
    matches: int
    points: float | None
    """0 to 100."""
    won: int
    drawn: int
    lost: int
    endings: Mapping[Ending, int]
    """Number of matches in which this bot was at fault, by the ending of its first fault there."""
    boards: Mapping[str, float]
    """Mean score by `game/board`, its roles with equal weight; only boards that it played."""
    roles: Mapping[tuple[str, Role], float]
    """Mean score by (`game/board`, role)."""
    tie_breaks: Mapping[str, Fraction | None] = field(default_factory=dict)
    """The figures that separated it from bots of equal rating and points, by tie-break; only those computed."""

    @property
    def forfeits(self) -> int:
        """The number of matches in which this bot was at fault."""
        return sum(self.endings.values())


@dataclass(frozen=True, kw_only=True)
class Tally:
    """A number of equal seats of a bot."""

    board: str
    """`game/board`."""
    role: Role
    bot: str
    result: str | None
    """As in `seat_results`."""
    ending: Ending | None
    seats: int = 1
    score: int
    """The sum of their scores."""


def standings(bots: Iterable[str], played: Iterable[Played]) -> tuple[Standing, ...]:
    """Return the standing of every bot, best first; bots that never played come last; equals are in order of name."""
    matches = list(played)
    later = Counter(fault for match in matches for fault in later_faults(match))
    return standings_of(bots, (tally for match in matches for tally in tallies(match)), later)


def tallies(match: Played) -> Iterator[Tally]:
    """Yield a tally for each seat of a match."""
    for role, bot, result, ending in seat_results(match):
        yield Tally(
            board=match.label,
            role=role,
            bot=bot,
            result=result,
            ending=ending,
            score=match.scores[role],
        )


def standings_of(
    bots: Iterable[str], tallied: Iterable[Tally], later: Mapping[tuple[str, Ending], int] = {}
) -> tuple[Standing, ...]:
    """Return the standing of every bot, best first, from tallies; tallies of other bots are ignored.

    `later` is the number of `later_faults`, which are in the tallies, too.
    """
    scores: dict[str, dict[tuple[str, Role], list[int]]] = {
        bot: defaultdict(lambda: [0, 0]) for bot in bots
    }
    results: dict[str, Counter[str]] = {bot: Counter() for bot in scores}
    endings: dict[str, Counter[Ending]] = {bot: Counter() for bot in scores}
    for tally in tallied:
        if tally.bot in scores:
            score_and_seats = scores[tally.bot][tally.board, tally.role]
            score_and_seats[0] += tally.score
            score_and_seats[1] += tally.seats
            if tally.ending is not None:
                endings[tally.bot][tally.ending] += tally.seats
            if tally.result is not None:
                results[tally.bot][tally.result] += tally.seats
    for (bot, ending), seats in later.items():
        if bot in endings:
            endings[bot][ending] -= seats
    # Fractions, so that equal points are exactly equal.
    means = {
        bot: {role: Fraction(*pair) for role, pair in sorted(roles.items())}
        for bot, roles in scores.items()
    }
    points = {bot: _mean(roles.values()) if roles else None for bot, roles in means.items()}
    order = sorted(scores, key=lambda bot: (points[bot] is None, -(points[bot] or 0), bot))
    ranks: dict[Fraction | None, int | None] = {None: None}
    for rank, bot in enumerate(order, 1):
        ranks.setdefault(points[bot], rank)  # equal points share the rank of the first
    return tuple(
        Standing(
            rank=ranks[points[bot]],
            bot=bot,
            matches=results[bot].total(),
            points=None if (of_bot := points[bot]) is None else float(of_bot),
            won=results[bot]["won"],
            drawn=results[bot]["drawn"],
            lost=results[bot]["lost"],
            endings={ending: matches for ending, matches in endings[bot].items() if matches},
            boards={
                board: float(_mean([mean for _, mean in roles]))
                for board, roles in groupby(means[bot].items(), key=lambda mean: mean[0][0])
            },
            roles={board_role: float(mean) for board_role, mean in means[bot].items()},
        )
        for bot in order
    )


def _mean(values: Collection[Fraction]) -> Fraction:
    return sum(values, Fraction()) / len(values)


def absentees(played: Iterable[Played]) -> frozenset[str]:
    """Return the bots that said `ready` in none of these matches."""
    seated: set[str] = set()
    ready: set[str] = set()
    for match in played:
        seated.update(match.seats.values())
        absent = match.absent
        ready.update(bot for role, bot in match.seats.items() if role not in absent)
    return frozenset(seated - ready)


def first_faults(match: Played) -> dict[str, Role]:
    """Return each bot that was at fault in a match, with the role of its first fault; of equal turns the first role.

    A bot may have several seats in a match, and it forfeits the match once.
    """
    order = list(match.seats)
    roles: dict[str, Role] = {}
    for role in sorted(
        match.endings, key=lambda role: (match.fault_turns.get(role, 0), order.index(role))
    ):
        roles.setdefault(match.seats[role], role)
    return roles


def later_faults(match: Played) -> Iterator[tuple[str, Ending]]:
    """Yield bot and ending of each fault of a bot that was at fault in the match before."""
    first = first_faults(match)
    for role, ending in match.endings.items():
        if first[match.seats[role]] != role:
            yield match.seats[role], ending


def results_of(match: Played) -> dict[str, str]:
    """Return `won`, `drawn` or `lost` for each bot of a match, or `both sides` for a bot that met itself."""
    scores = [max(match.scores[role] for role in side) for side in match.sides]
    best = max(scores)
    results: dict[str, str] = {}
    for side, score in zip(match.sides, scores, strict=True):
        result = "lost" if score < best else "won" if scores.count(best) == 1 else "drawn"
        for bot in {match.seats[role] for role in side}:
            results[bot] = "both sides" if bot in results else result
    return results


def seat_results(match: Played) -> Iterator[tuple[Role, str, str | None, Ending | None]]:
    """Yield role, bot, result and ending of each seat, in order of play.

    A bot's result in the match is in its first seat there, and None in its other seats, so that it counts once.
    """
    results = results_of(match)
    for role, bot in match.seats.items():
        yield role, bot, results.pop(bot, None), match.endings.get(role)
