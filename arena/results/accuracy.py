"""How well bots play on solved boards: of their moves that could throw points away, the share that did not.

It owns which moves count, and the cache. arena/games/grading.py grades a move. No match waits for a grade: matches are
graded when somebody looks at the results, each once.
"""

# Which moves count
#
# Only moves that a bot chose, and only in positions where some legal move throws points away. Where a match is lost
# whatever happens, every move keeps the value, and a bot that always loses would be the most accurate of all. What a
# move loses in turns is counted apart: it is no blunder to win a little later.
#
# All moves of a bot count alike, whatever board and role they were made in. A mean over boards and roles, as points
# have it, would give a role in which a bot is hardly ever tested as much weight as all others.

import contextlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena import durable, rulefile
from arena.errors import ArenaError
from arena.game import Game, Role
from arena.games import grading, solver
from arena.games.grading import Grader
from arena.results.archive import Archive
from arena.values import Match, Played, Record, digest_of

MOST_GRADED = 5000
"""Matches that are graded of an event: a match of a maze takes some 2 ms, a board of its own some 20 ms."""

Rules = Callable[[Match], Game[Any]]
"""Return the game of a match, from rules that are trusted; ArenaError when there are none."""


class Accuracy(NamedTuple):
    """The graded moves of a bot in a role on a board, or anywhere."""

    matches: int = 0
    moves: int = 0
    """Moves that could throw points away."""
    blunders: int = 0
    """Moves that did."""
    turns: int = 0
    """Turns that moves lost while they kept the score."""

    @property
    def percent(self) -> float | None:
        """The share of moves that kept the score, in per cent; None without a move that could lose it."""
        return 100 * (1 - self.blunders / self.moves) if self.moves else None

    @property
    def blunders_a_match(self) -> float | None:
        """None without a match."""
        return self.blunders / self.matches if self.matches else None

    @property
    def turns_a_match(self) -> float | None:
        """None without a match."""
        return self.turns / self.matches if self.matches else None

    def __add__(self, other: object) -> "Accuracy":
        """Return the sums of two."""
        if not isinstance(other, Accuracy):
            return NotImplemented
        return Accuracy(*(one + another for one, another in zip(self, other, strict=True)))


Graded = tuple[str, Role, str]
"""`game/board`, role, bot."""


def by_bot(graded: dict[Graded, Accuracy]) -> dict[str, Accuracy]:
    """Return the sums of each bot over boards and roles."""
    sums: defaultdict[str, Accuracy] = defaultdict(Accuracy)
    for (_, _, bot), accuracy in graded.items():
        sums[bot] += accuracy
    return dict(sums)


def load_or_grade(
    archive: Archive, labels: Sequence[str], sums: object, rules: Rules, *, all_versions: bool
) -> dict[Graded, Accuracy]:
    """Return the accuracy of each bot in each role on the solved boards among `labels`; empty without such a board.

    `sums` are those of the matches that count, for the key of the cache. Of more than MOST_GRADED matches that many
    are graded, a fair sample.
    """
    path = _path(archive, all_versions=all_versions)
    games, complete = list[Game[Any]](), True
    solved: list[str] = []
    for label in labels:
        try:
            sample = archive.newest_on(label)
            if sample is not None and grading.is_solved(game := rules(sample.match)):
                solved.append(label)
                games.append(game)
        except ArenaError:
            complete = False  # where its rules are known and its record is whole, its matches can be graded
    code = _code_digest(games)
    key = digest_of(code, labels, archive.mark(), sums)
    cached = _load(path)
    if cached.get("key") == key:
        return {(board, role, bot): Accuracy(*figures) for board, role, bot, *figures in cached["sums"]}

    known: dict[str, dict[Role, list[int]]] = cached.get("matches", {}) if cached.get("code") == code else {}
    ids = archive.sample_of(solved, MOST_GRADED, all_versions=all_versions) if solved else []
    played = archive.played_of(ids)
    new = [match for match in played if match.id not in known]
    # By board and repeat, so that the matches of one drawn board come together and it is solved once.
    for match, figures in _graded(archive, sorted(new, key=lambda match: (match.label, match.repeat)), rules):
        if figures is None:
            complete = False
        else:
            known[match.id] = figures
    graded = _sums(played, known)
    text = json.dumps(
        {
            "key": key if complete else None,  # the next time the matches without figures are tried again
            "sums": [[*who, *figures] for who, figures in graded.items()],
            "code": code,
            "matches": {match.id: known[match.id] for match in played if match.id in known},
        }
    )
    # Incomplete grades do not replace those of a reader who knows the rules of more boards.
    if complete or cached.get("code", code) == code:
        with contextlib.suppress(OSError):  # in a folder that may not be written the matches are graded each time
            durable.write(path, text.encode())
    return graded


def _graded(
    archive: Archive, matches: Iterable[Played], rules: Rules
) -> Iterable[tuple[Played, dict[Role, list[int]] | None]]:
    """Yield each match with the figures of Accuracy of each role, without the number of matches; None as below."""
    for match, record, grader in with_graders(archive, matches, rules):
        if isinstance(record, ArenaError):
            yield match, None
        else:
            yield match, {} if grader is None else figures_of(record, grader)


def with_graders(
    archive: Archive, matches: Iterable[Played], rules: Rules
) -> Iterator[tuple[Played, Record | ArenaError, Grader | None]]:
    """Yield each match with its record, and with the grader of its board where that is solved.

    An ArenaError instead of a record that cannot be read, or whose board cannot be played here; `arena verify` says
    more. A board is solved once for matches of it that stand one after the other.
    """
    grader: Grader | None = None
    board: object = None
    for match in matches:
        try:
            record = archive.record(match.id)
            if (this := (record.match.rules, record.match.label, record.match.drawn)) != board:
                board = None  # until its grader is made
                grader = Grader.of(rules(record.match))
                board = this
        except ArenaError as error:
            yield match, error, None
        else:
            yield match, record, grader


def figures_of(record: Record, grader: Grader) -> dict[Role, list[int]]:
    """Return moves, blunders and lost turns of each role whose moves could be graded."""
    figures: dict[Role, list[int]] = {}
    for turn, grade in zip(record.turns, grader.of_turns(record.turns), strict=False):
        if turn.by == "bot":
            counted = figures.setdefault(turn.role, [0, 0, 0])
            counted[0] += grade.critical
            counted[1] += grade.points > 0
            counted[2] += grade.turns
    return figures


def blunderers(archive: Archive, *, all_versions: bool) -> dict[str, dict[Role, int]]:
    """Return how often each role threw points away, by the id of each match that `load_or_grade` graded last.

    Matches without such a move are left out. Empty where no grades are stored.
    """
    stored: dict[str, dict[Role, list[int]]] = _load(_path(archive, all_versions=all_versions)).get("matches", {})
    blunders = {
        match: {role: figures[1] for role, figures in roles.items() if figures[1]} for match, roles in stored.items()
    }
    return {match: roles for match, roles in blunders.items() if roles}


def _path(archive: Archive, *, all_versions: bool) -> Path:
    """Return the file of the cache."""
    kind = f"{'-all' if all_versions else ''}{'-renamed' if archive.renamed else ''}"
    return archive.folder / f".accuracy{kind}.json"


def _sums(played: Iterable[Played], known: dict[str, dict[Role, list[int]]]) -> dict[Graded, Accuracy]:
    sums: defaultdict[Graded, Accuracy] = defaultdict(Accuracy)
    for match in played:
        for role, figures in known.get(match.id, {}).items():
            sums[match.label, role, match.seats[role]] += Accuracy(1, *figures)
    return dict(sorted(sums.items()))


def _code_digest(games: Iterable[Game[Any]]) -> str:
    """Return a hash of the code that grades, and of the rules of these games: grades of other code are not used."""
    paths = [Path(module) for module in (__file__, grading.__file__, solver.__file__)]
    paths += sorted({path for game in games for path in rulefile.sources_of(game)})
    return sha256(b"".join(path.read_bytes() for path in paths) + np.__version__.encode()).hexdigest()


def _load(path: Path) -> dict[str, Any]:
    """Return the content of the cache; empty where there is none, or a damaged one."""
    try:
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict):
            return {}
        for _, _, _, *figures in content["sums"]:
            Accuracy(*map(int, figures))
        for roles in content["matches"].values():
            for figures in roles.values():
                _, _, _ = map(int, figures)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    return content
