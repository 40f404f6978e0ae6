"""Points and places: what a bot's matches add up to. Pure; every table and chart takes its figures from here.

It counts tallies: equal seats, so many of them. Matches are counted as tallies of one seat each; the archive keeps the
tallies of all that it holds, so that a leaderboard of a million matches reads a few thousand of them.

Points are the mean, over each (board, role) that a bot played, of its mean score there: so each role on each board
weighs alike, however often it was played. A side's score in a match is its best role's; a side wins when it is strictly
highest, draws when it ties for highest, and loses otherwise.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from arena.event import Played
from arena.game import Role
from arena.match import Ending


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One bot's place."""

    rank: int | None
    """Equal points share a rank (1, 1, 3); None for a bot that never played."""
    bot: str
    matches: int
    points: float | None
    """0 to 100."""
    won: int
    drawn: int
    lost: int
    endings: Mapping[Ending, int]
    """Seats of this bot that were at fault, by ending."""
    boards: Mapping[str, float]
    """Mean score by `game/board`, its roles weighing alike; only boards that it played."""
    roles: Mapping[tuple[str, Role], float]
    """Mean score by (`game/board`, role)."""
    tie_breaks: Mapping[str, Fraction | None] = field(default_factory=dict)
    """What told it apart from its equals, by tie-break; only those that were looked at."""

    @property
    def forfeits(self) -> int:
        """Seats of this bot that were at fault."""
        return sum(self.endings.values())

    @property
    def head(self) -> tuple[object, ...]:
        """The columns HEAD."""
        return tuple(getattr(self, column) for column in HEAD)


HEAD = ("rank", "bot", "matches", "points", "won", "drawn", "lost", "forfeits")
"""What every leaderboard begins with, wherever it is shown."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Equal seats of a bot, and how many."""

    board: str
    """`game/board`."""
    role: Role
    bot: str
    result: str | None
    """What `seat_results` says."""
    ending: Ending | None
    seats: int = 1
    score: int
    """The sum of their scores."""


def standings(bots: Iterable[str], played: Iterable[Played]) -> tuple[Standing, ...]:
    """The place of every bot, best first; bots that never played come last, then the order is by name."""
    return standings_of(bots, (tally for match in played for tally in tallies(match)))


def standings_of(bots: Iterable[str], counted: Iterable[Tally]) -> tuple[Standing, ...]:
    """The place of every bot, best first, by tallies; those of other bots are not looked at."""
    sums = {bot: _Sum() for bot in bots}
    for tally in counted:
        if (own := sums.get(tally.bot)) is not None:
            own.add(tally)
    points = {bot: own.points() for bot, own in sums.items()}
    order = sorted(sums, key=lambda bot: (points[bot] is None, -(points[bot] or 0), bot))
    known = sorted((value for value in points.values() if value is not None), reverse=True)
    rank = {value: place for place, value in reversed([*enumerate(known, 1)])}  # of equal ones the first
    return tuple(sums[bot].standing(bot, None if (value := points[bot]) is None else rank[value]) for bot in order)


def tallies(match: Played) -> Iterator[Tally]:
    """One for each seat of a match."""
    for role, bot, result, ending in seat_results(match):
        yield Tally(board=match.label, role=role, bot=bot, result=result, ending=ending, score=match.scores[role])


class _Sum:
    """What one bot's matches add up to, exactly: whole numbers until the end, so that equal is equal."""

    def __init__(self) -> None:
        self.matches = 0
        self.results: Counter[str] = Counter()
        self.endings: Counter[Ending] = Counter()
        self.scores: dict[tuple[str, Role], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, tally: Tally) -> None:
        place = self.scores[tally.board, tally.role]
        place[0] += tally.score
        place[1] += tally.seats
        if tally.ending is not None:
            self.endings[tally.ending] += tally.seats
        if tally.result is not None:
            self.matches += tally.seats
            self.results[tally.result] += tally.seats

    def means(self) -> dict[tuple[str, Role], Fraction]:
        return {place: Fraction(total, count) for place, (total, count) in sorted(self.scores.items())}

    def points(self) -> Fraction | None:
        means = self.means()
        return sum(means.values(), Fraction()) / len(means) if means else None

    def boards(self) -> dict[str, float]:
        by_board: dict[str, list[Fraction]] = defaultdict(list)
        for (board, _), mean in self.means().items():
            by_board[board].append(mean)
        return {board: float(sum(means, Fraction()) / len(means)) for board, means in by_board.items()}

    def standing(self, bot: str, rank: int | None) -> Standing:
        points = self.points()
        return Standing(
            rank=rank,
            bot=bot,
            matches=self.matches,
            points=None if points is None else float(points),
            won=self.results["won"],
            drawn=self.results["drawn"],
            lost=self.results["lost"],
            endings=dict(self.endings),
            boards=self.boards(),
            roles={place: float(mean) for place, mean in self.means().items()},
        )


def meetings(match: Played) -> Iterator[tuple[tuple[str, Role, str, str], int]]:
    """Each role's score against each bot of another side, a bot with several roles there counting once."""
    for side in match.sides:
        opponents = sorted({match.seats[role] for role in match.seats if role not in side})
        for role in side:
            for opponent in opponents:
                yield (match.label, role, match.seats[role], opponent), match.scores[role]


def results_of(match: Played) -> dict[str, str]:
    """For each bot of a match: `won`, `drawn` or `lost`; `both sides` for a bot that met itself."""
    scores = [max(match.scores[role] for role in side) for side in match.sides]
    best = max(scores)
    results: dict[str, str] = {}
    for side, score in zip(match.sides, scores, strict=True):
        result = "lost" if score < best else "won" if scores.count(best) == 1 else "drawn"
        for bot in {match.seats[role] for role in side}:
            results[bot] = "both sides" if bot in results else result
    return results


def seat_results(match: Played) -> Iterator[tuple[Role, str, str | None, Ending | None]]:
    """Role, bot, result and ending of each seat, in order of play.

    A bot's result in the match stands in its first seat there; in the others it is None, so that it counts once.
    """
    results = results_of(match)
    for role, bot in match.seats.items():
        yield role, bot, results.pop(bot, None), match.endings.get(role)
