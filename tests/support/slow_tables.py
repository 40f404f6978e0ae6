"""The tables as they are defined, match by match and value by value. The quick tables must equal
them to the byte.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd

from arena.results import leaderboard as leaderboard_module
from arena.results import ratings, tiebreaks
from arena.results.archive.records import transcript
from arena.results.arrays import Arrays, BoardRole
from arena.results.columns import LOGITS
from arena.results.leaderboard import Results
from arena.results.standings import results_of
from arena.values import Ending, Played
from tests.support import simulated


def never_ready(played: Sequence[Played]) -> set[str]:
    """Return the bots that said `ready` in none of their matches, in any game."""
    here = {
        bot for match in played for role, bot in match.seats.items() if role not in match.absent
    }
    return {bot for match in played for bot in match.seats.values()} - here


def leaderboard(results: Results, bots: Iterable[str], played: Sequence[Played]) -> pd.DataFrame:
    """Return the columns of `Results.leaderboard`."""
    by_bot = {bot: _BotFigures(bot, played) for bot in bots}
    absent = never_ready(played)
    rated = {rating.bot: rating for rating in ratings_of(results, played).ratings}
    names = results.event.tie_breaks
    worth = {
        bot: (figures.points > 0, round(rated[bot].strength.value, 9), figures.points)
        for bot, figures in by_bot.items()
        if figures.points is not None and bot not in absent
    }
    levels = {
        bot: float(sum(lower < value for lower in worth.values())) for bot, value in worth.items()
    }
    decided = [
        (rank.bot, rank.rank, rank.figures) for rank in tiebreaks.rank(levels, met(played), names)
    ]
    decided += [(bot, len(worth) + 1, {}) for bot in sorted(absent)]  # they share the last rank
    rows = []
    for bot, rank, of_bot in decided:
        rating = rated[bot]
        interval = min(rank, rating.ranks[0]), max(rank, rating.ranks[1])
        figures = (of_bot.get(name) for name in names)
        tie_breaks = [None if figure is None else float(figure) for figure in figures]
        row = by_bot[bot].row(results, tie_breaks)
        logits = [(figure - 1500) / (400 / np.log(10)) for figure in rating.strength]
        rows.append(
            [results.game, rank, bot, *rating.strength, *logits, *interval, rating.tier, *row]
        )
    silent = sorted(bot for bot, figures in by_bot.items() if figures.points is None)
    rows += [
        [results.game, None, bot, *[None] * 9, *by_bot[bot].row(results, [None] * len(names))]
        for bot in silent
    ]
    head = [
        "game",
        "rank",
        "bot",
        "rating",
        "rating_low",
        "rating_high",
        *LOGITS,
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
    every = [
        *head,
        *names,
        *map(str, Ending),
        *results.board_columns.values(),
        *results.board_role_columns.values(),
    ]
    frame = pd.DataFrame(rows, columns=every)
    frame["display"] = frame["bot"]
    figures = dict.fromkeys(["rating", "rating_low", "rating_high", *LOGITS], "float")
    return frame.astype(
        {**dict.fromkeys(["rank", "rank_low", "rank_high", "tier"], "Int64"), **figures}
    )


def ratings_of(results: Results, played: Iterable[Played]) -> ratings.Ratings:
    """Return the ratings of these matches, each match a value."""
    known = {record.match.id: transcript(record) for record in results._archive.records()}
    rule = ratings.find(results.event.rating)
    return results.on_scale(
        rule.rate(
            arrays_of(played, known), seed=results.event.seed, refits=leaderboard_module.REFITS
        )
    )


class _BotFigures:
    def __init__(self, bot: str, played: Sequence[Played]) -> None:
        scores: dict[tuple[str, str], list[int]] = defaultdict(list)
        for match in played:
            for role, holder in match.seats.items():
                if holder == bot:
                    scores[match.label, role].append(match.scores[role])
        mine = [match for match in played if bot in match.seats.values()]
        self.means = {
            board_role: Fraction(sum(held), len(held)) for board_role, held in scores.items()
        }
        self.points = sum(self.means.values()) / len(self.means) if self.means else None
        self.matches = len(mine)
        self.results = Counter(results_of(match)[bot] for match in mine)
        failed = [
            sorted(
                (match.fault_turns[role], place, match.endings[role])
                for place, (role, holder) in enumerate(match.seats.items())
                if holder == bot and role in match.endings
            )
            for match in mine
        ]
        self.endings = Counter(faults[0][-1] for faults in failed if faults)

    def row(self, results: Results, figures: Sequence[float | None]) -> list[object]:
        boards = defaultdict(list)
        for (label, _), mean in self.means.items():
            boards[label].append(mean)
        return [
            self.matches,
            None if self.points is None else float(self.points),
            *(self.results[result] for result in ("won", "drawn", "lost")),
            self.endings.total(),
            *figures,
            *(self.endings[ending] for ending in Ending),
            *(
                float(sum(boards[label]) / len(boards[label])) if label in boards else None
                for label in results.board_columns
            ),
            *(
                float(self.means[key]) if key in self.means else None
                for key in results.board_role_columns
            ),
        ]


def crosstable(played: Iterable[Played]) -> pd.DataFrame:
    """Return the columns of `Results.crosstable`."""
    cells: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for match in played:
        for cell, score in meetings(match):
            cells[cell].append(score)
    rows = [
        (*cell, len(scores), sum(scores) / len(scores)) for cell, scores in sorted(cells.items())
    ]
    return pd.DataFrame(rows, columns=["board", "role", "bot", "opponent", "matches", "score"])


def matches(results: Results, played: Iterable[Played]) -> pd.DataFrame:
    """Return the columns of `Results.matches`."""
    roles = list(dict.fromkeys(role for _, role in results.board_role_columns))
    rows = [
        [
            *(match.id, match.game, match.board, match.repeat, match.seed, match.reason),
            *(
                None if value is None else value
                for role in roles
                for value in (
                    match.seats.get(role),
                    match.scores.get(role),
                    match.endings.get(role),
                )
            ),
        ]
        for match in sorted(
            played,
            key=lambda match: (match.label, match.repeat, tuple(match.seats.values()), match.id),
        )
    ]
    parts = [f"{role}_{part}" for role in roles for part in ("bot", "score", "ending")]
    frame = pd.DataFrame(
        rows, columns=["match", "game", "board", "repeat", "seed", "reason", *parts]
    )
    return frame.astype({f"{role}_score": "Int64" for role in roles})


def meetings(match: Played) -> Iterator[tuple[tuple[str, str, str, str], int]]:
    """Yield each role's score against each bot of another side; a bot with several roles there
    counts once.
    """
    for side in match.sides:
        opponents = sorted({match.seats[role] for role in match.seats if role not in side})
        for role in side:
            for opponent in opponents:
                yield (match.label, role, match.seats[role], opponent), match.scores[role]


def met(played: Iterable[Played]) -> tiebreaks.Crosstable:
    """Return what `meetings.encounters` makes of these matches; a bot does not meet itself."""
    rows = []
    for match in played:
        for side, opposing in combinations(match.sides, 2):
            score, opposing_score = (
                max(match.scores[role] for role in roles) for roles in (side, opposing)
            )
            result = (score > opposing_score) - (score < opposing_score)
            for bot in {match.seats[role] for role in side}:
                for opponent in {match.seats[role] for role in opposing} - {bot}:
                    rows += [(bot, opponent, result, 1), (opponent, bot, -result, 1)]
    return tiebreaks.Crosstable.count(rows)


def arrays_of(played: Iterable[Played], transcripts: Mapping[str, int] | None = None) -> Arrays:
    """Return the arrays of these matches; `transcripts` are the hashes of moves, by match.

    A match without one, or with -1, is unlike all others.
    """
    bots: dict[str, int] = {}
    board_roles: dict[BoardRole, int] = {}
    matches: list[tuple[int, int]] = []
    seats: list[tuple[int, int, int, int]] = []
    for number, match in enumerate(played):
        hashed = (transcripts or {}).get(match.id, -1)
        matches.append((match.seed, hashed if hashed >= 0 else 2**40 + number))
        for role, bot in match.seats.items():
            side = next(side for side, roles in enumerate(match.sides) if role in roles)
            board_role = board_roles.setdefault(
                BoardRole(match.label, side, role), len(board_roles)
            )
            seats.append((number, bots.setdefault(bot, len(bots)), board_role, match.scores[role]))
    seed, transcript = np.array(matches, dtype=np.int64).reshape(-1, 2).T
    match, bot, board_role, score = np.array(seats, dtype=np.int64).reshape(-1, 4).T
    return simulated.arrays_of(
        tuple(bots),
        tuple(board_roles),
        seed=seed,
        transcript=transcript,
        match=match,
        bot=bot,
        board_role=board_role,
        score=score,
    )
