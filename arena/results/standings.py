"""Standings: points and results of each bot, from the sums of its matches. Pure.

All tables take them from here. ranked.py gives the rank by the rating; here, where no rating is
known, the order is that of points.

They are computed from tallies; a tally is a number of equal seats. The archive keeps the tallies of
all its matches, so that a leaderboard of a million matches reads a few thousand of them.

Points are the mean, over each board role (a role on a board) that a bot played, of its mean score
there: each role on each board has the same weight, however often it was played. A side's score in a
match is that of its best role; a side wins when its score is strictly the highest, draws when it
ties for the highest, and loses otherwise. A bot that did not start loses whatever its side does.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from arena.game import Role
from arena.values import Ending, Played


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The rank and the figures of one bot."""

    rank: int | None
    """By points here, and by rating in a leaderboard (ranked.py).

    Equal bots share a rank (1, 1, 3). It is None for a bot that never played, and in a leaderboard
    for a specialist, too.
    """
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
    """The figures that separated it from bots of equal rating and points, by tie-break."""

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
    """Return the standing of every bot, best first, and equal bots in order of name.

    Bots that never played come last.
    """
    tallied: list[Tally] = []
    later: Counter[tuple[str, Ending]] = Counter()
    for match in played:
        tallies_of_match = tallies(match)
        tallied.extend(tallies_of_match)
        faults = later_faults(match)
        later.update(faults)
    return standings_of(bots, tallied, later)


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
    bots: Iterable[str],
    tallied: Iterable[Tally],
    later: Mapping[tuple[str, Ending], int] = {},
) -> tuple[Standing, ...]:
    """Return the standing of every bot, best first, from tallies; those of other bots are ignored.

    `later` is the number of `later_faults`, which are in the tallies, too.
    """
    sums = {bot: _Sums() for bot in bots}
    for tally in tallied:
        if tally.bot in sums:
            sums[tally.bot].add(tally)
    for (bot, ending), seats in later.items():
        if bot in sums:
            sums[bot].endings[ending] -= seats

    means = {bot: of_bot.means() for bot, of_bot in sums.items()}
    points: dict[str, Fraction | None] = dict.fromkeys(means)
    for bot, roles in means.items():
        if roles:
            points[bot] = _mean(roles.values())

    def best_first(bot: str) -> tuple[bool, Fraction | int, str]:
        of_bot = points[bot]
        if of_bot is None:
            return True, 0, bot
        return False, -of_bot, bot

    order = sorted(points, key=best_first)

    ranks: dict[Fraction | None, int | None] = {None: None}
    for rank, bot in enumerate(order, 1):
        ranks.setdefault(points[bot], rank)  # equal points share the rank of the first
    ranked = []
    for bot in order:
        points_of_bot = points[bot]
        rank_of_bot = ranks[points_of_bot]
        standing = _standing(bot, rank_of_bot, sums[bot], means[bot])
        ranked.append(standing)
    return tuple(ranked)


class _Sums:
    """The sums of the seats of one bot."""

    def __init__(self) -> None:
        self.scores: dict[tuple[str, Role], list[int]] = {}
        """By (`game/board`, role): the sum of scores and the number of seats."""
        self.results: Counter[str] = Counter()
        self.endings: Counter[Ending] = Counter()

    def add(self, tally: Tally) -> None:
        """Add the seats of a tally."""
        board_role = (tally.board, tally.role)
        scores = self.scores.setdefault(board_role, [0, 0])
        scores[0] += tally.score
        scores[1] += tally.seats
        if tally.ending is not None:
            self.endings[tally.ending] += tally.seats
        if tally.result is not None:
            self.results[tally.result] += tally.seats

    def means(self) -> dict[tuple[str, Role], Fraction]:
        """Return the mean score by board role, as a fraction, so that equal points are equal."""
        means = {}
        for board_role, (score, seats) in sorted(self.scores.items()):
            means[board_role] = Fraction(score, seats)
        return means


def _standing(
    bot: str,
    rank: int | None,
    sums: _Sums,
    means: Mapping[tuple[str, Role], Fraction],
) -> Standing:
    """Return a bot's standing; `means` are its mean scores by board role."""
    points = None
    if means:
        points = float(_mean(means.values()))
    by_board: defaultdict[str, list[Fraction]] = defaultdict(list)
    for (board, _), mean in means.items():
        by_board[board].append(mean)
    boards = {board: float(_mean(of_roles)) for board, of_roles in by_board.items()}
    roles = {board_role: float(mean) for board_role, mean in means.items()}
    endings = {ending: matches for ending, matches in sums.endings.items() if matches}
    return Standing(
        rank=rank,
        bot=bot,
        matches=sums.results.total(),
        points=points,
        won=sums.results["won"],
        drawn=sums.results["drawn"],
        lost=sums.results["lost"],
        endings=endings,
        boards=boards,
        roles=roles,
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
        for role, bot in match.seats.items():
            if role not in absent:
                ready.add(bot)
    return frozenset(seated - ready)


def first_faults(match: Played) -> dict[str, Role]:
    """Return each bot that was at fault in a match, with the role of its first fault.

    Faults of one turn are in the order of the roles. A bot may have several seats in a match, and
    it forfeits the match once.
    """
    order = list(match.seats)

    def turn_then_role(role: Role) -> tuple[int, int]:
        turn = match.fault_turns.get(role, 0)
        return turn, order.index(role)

    roles: dict[str, Role] = {}
    for role in sorted(match.endings, key=turn_then_role):
        bot = match.seats[role]
        roles.setdefault(bot, role)
    return roles


def later_faults(match: Played) -> Iterator[tuple[str, Ending]]:
    """Yield bot and ending of each fault of a bot that was at fault in the match before."""
    first = first_faults(match)
    for role, ending in match.endings.items():
        bot = match.seats[role]
        if first[bot] != role:
            yield bot, ending


def best_scores(match: Played) -> list[int]:
    """Return the best score of each side of a match."""
    best = []
    for side in match.sides:
        scores = [match.scores[role] for role in side]
        best.append(max(scores))
    return best


def results_of(match: Played) -> dict[str, str]:
    """Return `won`, `drawn` or `lost` for each bot of a match.

    It is `both sides` for a bot that met itself. A bot that did not start has lost, also where its
    side won without it.
    """
    scores = best_scores(match)
    best = max(scores)
    absent = match.absent
    started = {bot for role, bot in match.seats.items() if role not in absent}
    results: dict[str, str] = {}
    for side, score in zip(match.sides, scores, strict=True):
        if score < best:
            result = "lost"
        elif scores.count(best) == 1:
            result = "won"
        else:
            result = "drawn"
        bots = [match.seats[role] for role in side]
        for bot in dict.fromkeys(bots):
            if bot in results:
                results[bot] = "both sides"
            elif bot in started:
                results[bot] = result
            else:
                results[bot] = "lost"
    return results


def seat_results(match: Played) -> Iterator[tuple[Role, str, str | None, Ending | None]]:
    """Yield role, bot, result and ending of each seat, in order of play.

    A bot's result in the match is in its first seat there, and None in its other seats, so that it
    counts once.
    """
    results = results_of(match)
    for role, bot in match.seats.items():
        result = results.pop(bot, None)
        ending = match.endings.get(role)
        yield role, bot, result, ending
