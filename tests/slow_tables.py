"""The tables as they are defined, match by match and value by value: what the quick ones must equal to the byte."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pandas as pd

from arena import ratings, tiebreaks
from arena.event import Played
from arena.leaderboard import Results, rated
from arena.match import Ending
from arena.ratings.fitting import columns
from arena.standings import results_of


def leaderboard(results: Results, bots: Iterable[str], played: Sequence[Played]) -> pd.DataFrame:
    """The columns of `Results.leaderboard`."""
    own = {bot: _Own(bot, played) for bot in bots}
    rated = {one.bot: one for one in ratings_of(results, played).ratings}
    names = results.event.tie_breaks
    worth = {
        bot: (round(rated[bot].strength.value, 9), one.points) for bot, one in own.items() if one.points is not None
    }
    levels = {bot: float(sum(other < value for other in worth.values())) for bot, value in worth.items()}
    placed = tiebreaks.place(levels, tiebreaks.crosstable(played), names)
    rows = [
        [one.rank, one.bot, *_rated(one.rank, rated[one.bot]), *own[one.bot].row(results, _figures(one, names))]
        for one in placed
    ]
    absent = sorted(own.keys() - worth.keys())
    rows += [[None, bot, *[None] * 6, *own[bot].row(results, [None] * len(names))] for bot in absent]
    head = [
        "rank",
        "bot",
        "rating",
        "rating_low",
        "rating_high",
        "rank_low",
        "rank_high",
        "tier",
        "matches",
        "points",
        "won",
        "drawn",
        "lost",
        "forfeits",
    ]
    every = [*head, *names, *map(str, Ending), *results.columns.values(), *results.places.values()]
    frame = pd.DataFrame(rows, columns=every)
    figures = dict.fromkeys(["rating", "rating_low", "rating_high"], "float")
    return frame.astype({**dict.fromkeys(["rank", "rank_low", "rank_high", "tier"], "Int64"), **figures})


def ratings_of(results: Results, played: Iterable[Played]) -> ratings.Ratings:
    """The ratings of these matches, each match a value."""
    known = dict(results._archive.rows("select id, transcript from matches"))
    rule = ratings.find(results.event.rating)
    return rule.rate(columns.of(played, known), seed=results.event.seed, refits=rated.REFITS)


def _rated(rank: int, one: ratings.Rating) -> list[float]:
    return [*one.strength, min(rank, one.ranks[0]), max(rank, one.ranks[1]), one.tier]


def _figures(one: tiebreaks.Placed, names: Iterable[str]) -> list[float | None]:
    found = (one.tiebreaks.get(name) for name in names)
    return [None if figure is None else float(figure) for figure in found]


class _Own:
    def __init__(self, bot: str, played: Sequence[Played]) -> None:
        scores: dict[tuple[str, str], list[int]] = defaultdict(list)
        for match in played:
            for role, holder in match.seats.items():
                if holder == bot:
                    scores[match.label, role].append(match.scores[role])
        mine = [match for match in played if bot in match.seats.values()]
        self.means = {place: Fraction(sum(each), len(each)) for place, each in scores.items()}
        self.points = sum(self.means.values()) / len(self.means) if self.means else None
        self.matches = len(mine)
        self.results = Counter(results_of(match)[bot] for match in mine)
        self.endings = Counter(end for match in mine for role, end in match.endings.items() if match.seats[role] == bot)

    def row(self, results: Results, figures: Sequence[float | None]) -> list[object]:
        boards = defaultdict(list)
        for (label, _), mean in self.means.items():
            boards[label].append(mean)
        return [
            self.matches,
            None if self.points is None else float(self.points),
            *(self.results[word] for word in ("won", "drawn", "lost")),
            self.endings.total(),
            *figures,
            *(self.endings[ending] for ending in Ending),
            *(float(sum(boards[label]) / len(boards[label])) if label in boards else None for label in results.columns),
            *(float(self.means[place]) if place in self.means else None for place in results.places),
        ]


def crosstable(played: Iterable[Played]) -> pd.DataFrame:
    """The columns of `Results.crosstable`."""
    cells: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for match in played:
        for side in match.sides:
            opponents = {bot for role, bot in match.seats.items() if role not in side}
            for role in side:
                for opponent in opponents:
                    cells[match.label, role, match.seats[role], opponent].append(match.scores[role])
    rows = [(*cell, len(scores), sum(scores) / len(scores)) for cell, scores in sorted(cells.items())]
    return pd.DataFrame(rows, columns=["board", "role", "bot", "opponent", "matches", "score"])


def matches(results: Results, played: Iterable[Played]) -> pd.DataFrame:
    """The columns of `Results.matches`."""
    roles = list(dict.fromkeys(role for _, role in results.places))
    rows = [
        [
            *(match.id, match.game, match.board, match.repeat, match.seed, match.reason),
            *(
                None if value is None else value
                for role in roles
                for value in (match.seats.get(role), match.scores.get(role), match.endings.get(role))
            ),
        ]
        for match in sorted(played, key=lambda one: (one.label, one.repeat, tuple(one.seats.values()), one.id))
    ]
    parts = [f"{role}_{part}" for role in roles for part in ("bot", "score", "ending")]
    frame = pd.DataFrame(rows, columns=["match", "game", "board", "repeat", "seed", "reason", *parts])
    return frame.astype({f"{role}_score": "Int64" for role in roles})
