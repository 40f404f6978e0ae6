"""How well bots play: their accuracy on solved boards, and their regret on boards whose moves a search estimates.

The accuracy of a bot is a percentage: of its moves that could have thrown points away, those that did not. Its regret
is the number of points that its moves threw away in a match. This module owns which moves count, and the cache.
arena/games/quality.py assesses one move. Matches are assessed when somebody looks at the results, each once.
"""

# Which moves count
#
# Only moves that a bot chose, and only in positions where some legal move throws points away. Where a match is lost
# whatever happens, every move keeps the value, and a bot that always loses would be the most accurate of all. What a
# move loses in turns is counted apart: it is no blunder to win a little later.
#
# All moves of a bot count alike, whatever board and role they were made in. A mean over boards and roles, as points
# have it, would give a role in which a bot is hardly ever tested as much weight as all others.
#
# A search sees a small loss in most moves, so a count of its blunders would say little. The regret adds the points up.

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import Field, TypeAdapter

from arena import rulefile
from arena.errors import ArenaError
from arena.game import Game, Role
from arena.games import pursuit, quality, solver
from arena.games.quality import Assessor
from arena.results import memo
from arena.results.archive import Archive
from arena.values import Match, Played, Record

MOST_ASSESSED = 5000
"""Matches that are assessed of an event: a match of a maze takes some 2 ms, a board of its own some 20 ms."""
MOST_ESTIMATED = 200
"""Matches that are assessed of an event by a search: one of Pacman with 57 turns takes 70 ms of CPU time."""

Rules = Callable[[Match], Game[Any]]
"""Return the game of a match, from rules that are trusted; ArenaError when there are none."""


class MoveSums(NamedTuple):
    """The assessed moves of a bot in a role on a board, or anywhere; those of a search are estimates."""

    matches: int = 0
    moves: int = 0
    """Moves that could throw points away."""
    lost: int = 0
    """Of a solved board: moves that did; of a search: the points that moves threw away."""
    turns: int = 0
    """Turns that moves lost while they kept the score."""

    @property
    def accuracy(self) -> float | None:
        """The share of moves that kept the score, in per cent; None without a move that could lose it."""
        return 100 * (1 - self.lost / self.moves) if self.moves else None

    @property
    def lost_a_match(self) -> float | None:
        """Blunders, or points; None without a match."""
        return self.lost / self.matches if self.matches else None

    @property
    def turns_a_match(self) -> float | None:
        """None without a match."""
        return self.turns / self.matches if self.matches else None

    def plus(self, other: "MoveSums") -> "MoveSums":
        """Return the sums of two."""
        return MoveSums(*map(sum, zip(self, other, strict=True)))


SumKey = tuple[str, Role, str]
"""The key of a sum: `game/board`, role and bot."""
AnyAssessor = TypeVar("AnyAssessor", bound=Assessor)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One of the two measures."""

    file: str
    """The beginning of its cache's name."""
    kind: type[Assessor]
    most: int
    """Matches that are assessed of an event."""


ACCURACY = Measure(file=".accuracy", kind=quality.PerfectPlay, most=MOST_ASSESSED)
REGRET = Measure(file=".regret", kind=quality.Estimator, most=MOST_ESTIMATED)


Figure = Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]


Figures = Mapping[Role, tuple[int, int, int]]
"""Of each role of a match whose moves could be assessed: moves, blunders (of an estimate: points) and lost turns."""
STORED = TypeAdapter(dict[str, dict[Role, tuple[Figure, Figure, Figure]]])
"""A memo, which comes with results that anybody may have made: the figures by the id of a match."""


def by_bot(assessed: Mapping[SumKey, MoveSums]) -> dict[str, MoveSums]:
    """Return the sums of each bot over all boards and roles."""
    sums: dict[str, MoveSums] = {}
    for (_, _, bot), figures in assessed.items():
        sums[bot] = sums.get(bot, MoveSums()).plus(figures)
    return sums


def load_or_assess(
    archive: Archive, labels: Sequence[str], rules: Rules, measure: Measure
) -> list[tuple[Played, Figures]]:
    """Return the matches on the boards among `labels` that a measure applies to, by id, with the figures of each.

    Of more matches than the measure's `most` that many are assessed, a fair sample.
    """
    path = archive.folder / f"{measure.file}{archive.suffix}.json"
    games, problems = list[Game[Any]](), list[str]()
    assessed_labels = list[str]()
    for label in labels:
        try:
            if (sample := archive.newest_on(label)) is not None:
                game = rules(sample.match)
                if measure.kind.offered(game):
                    assessed_labels.append(label)
                    games.append(game)
        except (
            ArenaError
        ) as error:  # its matches are assessed where its rules are known and its record is whole
            problems.append(str(error))
    code = _code_digest(games)
    stored = memo.recall(path, code, STORED)
    known = stored or {}
    ids = archive.sample_of(assessed_labels, measure.most) if assessed_labels else []
    played = archive.played_of(ids)
    new = [match for match in played if match.id not in known]
    # By board and repeat, so that the matches of one sampled board come together and it is solved once.
    ordered = sorted(new, key=lambda match: (match.label, match.repeat))
    for match, record, _, assessor in with_assessors(
        archive, ordered, rules, measure.kind, problems
    ):
        known[match.id] = {} if assessor is None else figures_of(record, assessor)
    # Incomplete figures do not replace those of a reader who knows the rules of more boards.
    if new and (not problems or stored is not None or not path.exists()):
        memo.store(
            path, code, {match.id: known[match.id] for match in played if match.id in known}, STORED
        )
    return [(match, known.get(match.id, {})) for match in played]


def sums_of(assessed: Iterable[tuple[Played, Figures]]) -> dict[SumKey, MoveSums]:
    """Return the measure of each bot in each role on the boards of these matches; or empty."""
    sums: defaultdict[SumKey, MoveSums] = defaultdict(MoveSums)
    for match, of_roles in assessed:
        for role, figures in of_roles.items():
            if role in match.seats:  # the memo may come from anybody
                key = match.label, role, match.seats[role]
                sums[key] = sums[key].plus(MoveSums(1, *figures))
    return dict(sorted(sums.items()))


def with_assessors(
    archive: Archive,
    matches: Iterable[Played],
    rules: Rules,
    kind: type[AnyAssessor],
    problems: list[str],
) -> Iterator[tuple[Played, Record, Game[Any], AnyAssessor | None]]:
    """Yield each match with its record and its game, and with the assessor of its board where there is one.

    A sentence is added for each whose record cannot be read, or whose board cannot be played here; `arena verify` says
    more. An assessor is made once for matches of one board that stand one after the other.
    """
    board: object = None
    for match in matches:
        try:
            record = archive.record(match.id)
            if (current := (record.match.rules, record.match.label, record.match.sampled)) != board:
                board = None  # until its assessor is made
                game = rules(record.match)
                assessor = kind.of(game)
                board = current
        except ArenaError as error:
            problems.append(f"match {match.id}: {error}")
        else:
            yield match, record, game, assessor


def figures_of(record: Record, assessor: Assessor) -> dict[Role, tuple[int, int, int]]:
    """Return the figures of a match."""
    figures: dict[Role, tuple[int, int, int]] = {}
    for turn, loss in zip(record.turns, assessor.of_turns(record.turns), strict=False):
        if turn.by == "bot":
            moves, lost, turns = figures.get(turn.role, (0, 0, 0))
            lost += loss.points if loss.estimate else loss.points > 0
            figures[turn.role] = moves + loss.critical, lost, turns + loss.turns
    return figures


def _code_digest(games: Iterable[Game[Any]]) -> str:
    """Return a hash of the code that assesses, and of the rules of these games."""
    modules = (__file__, quality.__file__, solver.__file__, pursuit.__file__)
    return memo.code_digest(
        [*map(Path, modules), *sorted({path for g in games for path in rulefile.sources_of(g)})]
    )
