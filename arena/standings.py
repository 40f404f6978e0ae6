"""Points and places: what a bot's matches add up to. Pure; every table and chart takes its figures from here.

Points are the mean, over each (board, role) that a bot played, of its mean score there: so each role on each board
weighs alike, however often it was played. A side's score in a match is its best role's; a side wins when it is strictly
highest, draws when it ties for highest, and loses otherwise.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
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

    @property
    def forfeits(self) -> int:
        """Seats of this bot that were at fault."""
        return sum(self.endings.values())


def standings(bots: Iterable[str], played: Iterable[Played]) -> tuple[Standing, ...]:
    """The place of every bot, best first; bots that never played come last, then the order is by name."""
    tallies = {bot: _Tally() for bot in bots}
    for match in played:
        _count(match, tallies)
    points = {bot: tally.points() for bot, tally in tallies.items()}
    order = sorted(tallies, key=lambda bot: (points[bot] is None, -(points[bot] or 0), bot))
    known = [value for value in points.values() if value is not None]
    rank = {value: 1 + sum(other > value for other in known) for value in known}
    return tuple(tallies[bot].standing(bot, None if (own := points[bot]) is None else rank[own]) for bot in order)


class _Tally:
    """What one bot's matches add up to, exactly: whole numbers until the end, so that equal is equal."""

    def __init__(self) -> None:
        self.matches = 0
        self.results: Counter[str] = Counter()
        self.endings: Counter[Ending] = Counter()
        self.scores: dict[tuple[str, Role], list[int]] = defaultdict(lambda: [0, 0])

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


def _count(match: Played, tallies: Mapping[str, _Tally]) -> None:
    """Add one match to the tallies of the bots in it; who is in no tally is not counted."""
    results = results_of(match)
    for role, bot in match.seats.items():
        if (tally := tallies.get(bot)) is not None:
            place = tally.scores[match.label, role]
            place[0] += match.scores[role]
            place[1] += 1
            if role in match.endings:
                tally.endings[match.endings[role]] += 1
    for bot, result in results.items():
        if (tally := tallies.get(bot)) is not None:
            tally.matches += 1
            tally.results[result] += 1


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
