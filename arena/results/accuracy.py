"""How well bots play: their accuracy on solved boards, and their regret on others.

The accuracy of a bot is a percentage: of its moves that could have thrown points away, those that
did not. Its regret is the number of points that its moves threw away in a match, on boards whose
moves a search estimates. This module owns which moves count, and the cache. arena/games/quality.py
assesses one move. Matches are assessed when somebody looks at the results, each once.
"""

# Which moves count
#
# Only moves that a bot chose, and only in positions where some legal move throws points away. Where
# a match is lost whatever happens, every move preserves the value, and a bot that always loses
# would be the most accurate of all. What a move loses in turns is counted apart: it is no blunder
# to win a little later.
#
# All moves of a bot count alike, whatever board and role they were made in. A mean over boards and
# roles, as points have it, would give a role in which a bot is hardly ever tested as much weight as
# all others.
#
# A search sees a small loss in most moves, so a count of its blunders would say little. The regret
# adds the points up.

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import Field, TypeAdapter

from arena import rulefile
from arena.errors import ArenaError
from arena.game import Game, Role
from arena.games import quality
from arena.games.quality import Assessor
from arena.results import memo
from arena.results.archive import Archive
from arena.values import Match, Played, Record

MOST_ASSESSED = 5000
"""Matches of an event that are assessed.

A match of a maze takes some 2 ms; one on a sampled board, which is solved for it, some 20 ms.
"""
MOST_ESTIMATED = 200
"""Matches of an event that are assessed by a search.

A match of Pacman with 57 turns takes 70 ms of CPU time.
"""
SEARCHES = [Path(quality.__file__).with_name(name) for name in ("solver.py", "pursuit.py")]
"""Only rules that use these modules import them, because they import numpy."""

Rules = Callable[[Match], Game[Any]]
"""Return the game of a match, from rules that are trusted; raise ArenaError without any."""


class MoveSums(NamedTuple):
    """The assessed moves of a bot in a role on a board, or anywhere.

    The figures of a search are estimates.
    """

    matches: int = 0
    moves: int = 0
    """Moves that could throw points away."""
    lost: int = 0
    """On a solved board: moves that did; by a search: the points that moves threw away."""
    turns: int = 0
    """Turns that moves lost while they preserved the score."""

    @property
    def accuracy(self) -> float | None:
        """The share of moves that preserved the score, in per cent.

        It is None without a move that could lose points.
        """
        if not self.moves:
            return None
        return 100 * (1 - self.lost / self.moves)

    @property
    def lost_a_match(self) -> float | None:
        """The blunders a match, or the points; None without a match."""
        if not self.matches:
            return None
        return self.lost / self.matches

    @property
    def turns_a_match(self) -> float | None:
        """The lost turns a match; None without a match."""
        if not self.matches:
            return None
        return self.turns / self.matches

    def plus(self, other: "MoveSums") -> "MoveSums":
        """Return the sums of two."""
        return MoveSums(
            matches=self.matches + other.matches,
            moves=self.moves + other.moves,
            lost=self.lost + other.lost,
            turns=self.turns + other.turns,
        )


SumKey = tuple[str, Role, str]
"""The key of a sum: `game/board`, role and bot."""
AnyAssessor = TypeVar("AnyAssessor", bound=Assessor)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of moves: their accuracy or their regret."""

    file: str
    """The beginning of its cache's name."""
    kind: type[Assessor]
    most: int
    """Matches that are assessed of an event."""


ACCURACY = Measure(
    file=".accuracy",
    kind=quality.PerfectPlay,
    most=MOST_ASSESSED,
)
REGRET = Measure(
    file=".regret",
    kind=quality.Estimator,
    most=MOST_ESTIMATED,
)


Figure = Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]


Figures = Mapping[Role, tuple[int, int, int]]
"""Figures by role of a match, for roles whose moves could be assessed.

They are moves, blunders (by a search: points) and lost turns.
"""
STORED = TypeAdapter(dict[str, dict[Role, tuple[Figure, Figure, Figure]]])
"""A memo with the figures by the id and the transcript of a match: an event that begins
anew in its folder has the same ids."""


def by_bot(assessed: Mapping[SumKey, MoveSums]) -> dict[str, MoveSums]:
    """Return the sums of each bot over all boards and roles."""
    sums: defaultdict[str, MoveSums] = defaultdict(MoveSums)
    for (_, _, bot), figures in assessed.items():
        sums[bot] = sums[bot].plus(figures)
    return dict(sums)


def load_or_assess(
    archive: Archive,
    labels: Sequence[str],
    rules: Rules,
    measure: Measure,
) -> list[tuple[Played, Figures]]:
    """Return the matches on the boards among `labels` that a measure applies to.

    They stand by id, each with its figures. Of more matches than the measure's `most` only that
    many are assessed, a fair sample.
    """
    path = archive.folder / f"{measure.file}{archive.suffix}.json"
    problems: list[str] = []
    games = _assessed_games(archive, labels, rules, measure, problems)
    code = _code_digest(games.values())
    stored = memo.recall(path, code, STORED)
    known = stored or {}

    ids: list[str] = []
    if games:
        ids = archive.sample_of(list(games), measure.most)
    played = archive.played_of(ids)
    key_of = {}
    for match_id, transcript in archive.transcripts_of(ids).items():
        key_of[match_id] = f"{match_id} {transcript}"

    new = [match for match in played if key_of[match.id] not in known]
    # By board and repeat, so that the matches of one sampled board follow each other and it is
    # solved once.
    new.sort(key=attrgetter("label", "repeat"))
    assessed = with_assessors(archive, new, rules, measure.kind, problems)
    for match, record, _, assessor in assessed:
        key = key_of[match.id]
        if assessor is None:
            known[key] = {}
        else:
            known[key] = figures_of(record, assessor)

    # Incomplete figures do not replace those of a reader who knows the rules of more boards.
    may_replace = not problems or stored is not None
    if new and (may_replace or not path.exists()):
        current = {key: known[key] for key in key_of.values() if key in known}
        memo.store(path, code, current, STORED)

    with_figures: list[tuple[Played, Figures]] = []
    for match in played:
        key = key_of[match.id]
        figures = known.get(key, {})
        with_figures.append((match, figures))
    return with_figures


def _assessed_games(
    archive: Archive,
    labels: Iterable[str],
    rules: Rules,
    measure: Measure,
    problems: list[str],
) -> dict[str, Game[Any]]:
    """Return the games of the boards among `labels` that a measure applies to, by label.

    Matches are assessed where the rules are known and the newest record can be read; otherwise a
    sentence is added to `problems`.
    """
    games = {}
    for label in labels:
        try:
            newest = archive.newest_on(label)
            if newest is None:
                continue
            game = rules(newest.match)
            if measure.kind.offered(game):
                games[label] = game
        except ArenaError as error:
            problems.append(str(error))
    return games


def sums_of(assessed: Iterable[tuple[Played, Figures]]) -> dict[SumKey, MoveSums]:
    """Return the measure of each bot in each role on the boards of these matches."""
    sums: defaultdict[SumKey, MoveSums] = defaultdict(MoveSums)
    for match, figures in assessed:
        for role, (moves, lost, turns) in figures.items():
            if role not in match.seats:
                continue  # anybody may have made the record
            key = (match.label, role, match.seats[role])
            of_match = MoveSums(
                matches=1,
                moves=moves,
                lost=lost,
                turns=turns,
            )
            sums[key] = sums[key].plus(of_match)
    return dict(sorted(sums.items()))


def with_assessors(
    archive: Archive,
    matches: Iterable[Played],
    rules: Rules,
    kind: type[AnyAssessor],
    problems: list[str],
) -> Iterator[tuple[Played, Record, Game[Any], AnyAssessor | None]]:
    """Yield each match with its record, its game and the assessor of its board, or None.

    A match whose record cannot be read, or whose board cannot be played here, adds a sentence to
    `problems`; `arena verify` says more. An assessor is made once for matches of one board that
    follow each other.
    """
    board: object = None
    for match in matches:
        try:
            record = archive.record(match.id)
            recorded = record.match
            current = (recorded.rules, recorded.label, recorded.sampled)
            if current != board:
                board = None  # until its assessor is made
                game = rules(recorded)
                assessor = kind.of(game)
                board = current
        except ArenaError as error:
            problems.append(f"match {match.id}: {error}")
        else:
            yield match, record, game, assessor


def figures_of(record: Record, assessor: Assessor) -> dict[Role, tuple[int, int, int]]:
    """Return the figures of a match."""
    figures: dict[Role, tuple[int, int, int]] = {}
    losses = assessor.of_turns(record.turns)
    for turn, loss in zip(record.turns, losses, strict=False):
        if turn.by != "bot":
            continue
        moves, lost, turns = figures.get(turn.role, (0, 0, 0))
        moves += loss.critical
        turns += loss.turns
        if loss.estimate:
            lost += loss.points
        elif loss.points > 0:
            lost += 1
        figures[turn.role] = (moves, lost, turns)
    return figures


def _code_digest(games: Iterable[Game[Any]]) -> str:
    """Return a hash of the code that assesses, and of the rules of these games."""
    files = [Path(__file__), Path(quality.__file__), *SEARCHES]
    sources: set[Path] = set()
    for game in games:
        sources_of_game = rulefile.sources_of(game)
        sources.update(sources_of_game)
    files.extend(sorted(sources))
    return memo.code_digest(files)
