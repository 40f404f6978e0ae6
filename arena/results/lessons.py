"""Lessons for a bot: the positions in which it threw most points away, with the good moves there.

This module owns what a lesson is, and how lessons are found and ordered. arena/games/quality.py
assesses moves on solved boards. This module does not know how a lesson is printed, nor how a bot is
tested by it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from arena.display_names import bot_shown
from arena.errors import ArenaError, known_are
from arena.game import Fact, Game, Move, Role
from arena.games.quality import PerfectPlay, positions
from arena.protocol import clean
from arena.results.accuracy import MOST_ASSESSED, REGRET, Rules, load_or_assess, with_assessors
from arena.results.archive import Archive
from arena.results.archive.records import Entry
from arena.results.blunders import Blunder, Blunders, Mean, add_exact
from arena.results.move_estimates import LEAST_MATCHES, Estimates
from arena.values import Bot, OpeningMoves, Record, Turn

MOST_TURNS = 200
"""Turns of a refutation; drawn positions may go on for ever."""
MOVES_AT_ONCE = "roles move at once here, so the best move depends on what the others choose"
HIDDEN = "something is hidden here, so the best move depends on what the others may hold"


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A position in which a bot threw points away."""

    folder: Path
    """The folder of the results."""
    record: Record
    """The match in which it threw them away."""
    turn: int
    """The number of the turn; the position is the state before it."""
    role: Role
    played: Move
    good: tuple[Move, ...]
    """The moves that keep the value of the position, in the order of the rules.

    Of an estimate they are the moves that scored more, the best first.
    """
    points: float
    """The points of score that were thrown away, 0 to 100."""
    times: int
    """The number of matches in which the bot threw points away in this position."""
    means: Mapping[Move, Mean] = field(default_factory=dict)
    """Only of an estimate: what the move and the good ones scored. Empty on a solved board."""
    uncertain: tuple[str, ...] = ()
    """Reasons why no single move may be best here, a clause each."""
    facts: tuple[Fact, ...]
    """The position as the role is shown it."""
    refutation: tuple[Turn, ...]
    """The turns after the move: best play on a solved board, otherwise those of the match."""
    scores: Mapping[Role, int] | None
    """The scores at the end of the refutation; None if it was cut."""

    @property
    def label(self) -> str:
        """`game/board`."""
        return self.record.match.label

    @property
    def is_estimate(self) -> bool:
        """True unless the board is solved."""
        return bool(self.means)

    @property
    def opening(self) -> OpeningMoves:
        """The moves that lead from the start to the position."""
        moves = []
        for turn in self.record.turns:
            if turn.number < self.turn:
                moves.append((turn.role, turn.move))
        return tuple(moves)

    @property
    def verdict(self) -> str:
        """Say in words what the move threw away."""
        if not self.is_estimate:
            return f"threw away {self.points:g} points"
        best_move = self.good[0]
        mean = self.means[self.played]
        best = self.means[best_move]
        return (
            f"an estimate: it scored {mean.score:.0f} in {mean.matches} matches,"
            f" {clean(best_move)} {best.score:.0f} in {best.matches}"
        )

    def refutation_text(self, most: int) -> str:
        """Return the first `most` turns after the move, and the end; harmless to show."""
        parts = [clean(f"{turn.role} {turn.move}") for turn in self.refutation[:most]]
        if len(self.refutation) > most:
            parts.append("...")
        if self.scores is None:
            parts.append(f"no end within {MOST_TURNS} turns")
        else:
            numbers = [turn.number for turn in self.refutation]
            last = max(numbers, default=self.turn)
            scores = [f"{role} {score}" for role, score in self.scores.items()]
            parts.append(f"after turn {last}: {', '.join(scores)}")
        source = "best play of all"
        if self.is_estimate:
            source = "as the match went on"
        return f"{'; '.join(parts)} ({source})"


@dataclass(frozen=True)
class Lessons:
    """The lessons of a bot, the worst first."""

    bot: str
    """The name of the bot; somebody may have asked by its display name."""
    lessons: tuple[Lesson, ...]
    matches: int
    """The number of its matches that were looked at."""
    problems: tuple[str, ...]
    """A sentence for each match that could not be looked at."""
    is_solved: bool
    """True if all these matches were on solved boards."""

    @property
    def why_none(self) -> str:
        """Say in words why there is no lesson."""
        if self.is_solved:
            return "none of its moves threw points away"
        return (
            "where a board is not solved, a lesson needs another move that scored clearly more "
            f"in the same position, each of the two in {LEAST_MATCHES} different matches"
        )


class Regret(NamedTuple):
    """A match in which a bot threw points away, as a search estimates them."""

    points: int
    """The sum over the moves of the bot, so it may be above the 100 of a match."""
    match: str
    folder: Path


def most_regretted(
    archives: Sequence[Archive],
    bot: str,
    rules: Rules,
    *,
    board: str | None = None,
    role: Role | None = None,
) -> Regret | None:
    """Return the match in which a bot threw most away, among those that leaderboards assess.

    None if a search finds nothing. `board` and `role` choose as in `find`.
    """
    worst = None
    most_points = 0
    for archive in archives:
        labels = set()
        for entry in archive.entries().values():
            if _is_on(entry, board):
                labels.add(entry.label)
        for match, figures in load_or_assess(archive, sorted(labels), rules, REGRET):
            points = 0
            for assessed_role, (_, lost, _) in figures.items():
                is_chosen = role in {None, assessed_role}
                if is_chosen and match.seats.get(assessed_role) == bot:
                    points += lost
            if points > most_points:
                most_points = points
                worst = Regret(points, match.id, archive.folder)
    return worst


def find(
    archives: Sequence[Archive],
    bot: str,
    rules: Rules,
    *,
    board: str | None = None,
    role: Role | None = None,
    most: int,
) -> Lessons:
    """Return the lessons of a bot in the matches that count, at most `most`.

    `board` is a `game/board` or a board's name; `board` and `role` choose among the lessons. Of
    each archive at most MOST_ASSESSED matches of the bot are looked at, and as many matches of
    other bots where no board is solved. Raise ArenaError for an unknown bot, board or role.
    """
    bot = _bot_named(bot, archives)
    labels = _labels(archives, bot, board, role)
    blunders = Blunders()
    estimates = Estimates(bot)
    problems: list[str] = []
    looked_at = 0
    ids_of_bot: set[str] = set()
    unsolved: set[str] = set()
    for archive in archives:
        ids = archive.sample_of(labels, MOST_ASSESSED, bot=bot)
        ids_of_bot.update(ids)
        for record, game, assessor in _readable(archive, ids, rules, problems):
            looked_at += 1
            if assessor is None:
                unsolved.add(record.match.label)
                estimates.add(archive, record, game)
            else:
                add_exact(blunders, archive, record, assessor, bot)
    if unsolved:
        for archive in archives:
            sample = archive.sample_of(sorted(unsolved), MOST_ASSESSED)
            ids_of_rivals = set(sample) - ids_of_bot
            for record, game, assessor in _readable(archive, ids_of_rivals, rules, problems):
                if assessor is None:
                    estimates.add(archive, record, game)
    all_blunders = blunders | estimates.blunders()
    chosen = _worst(all_blunders, most, role)
    lessons = [_lesson(blunder, times, rules) for blunder, times in chosen]
    return Lessons(
        bot=bot,
        lessons=tuple(lessons),
        matches=looked_at,
        problems=tuple(problems),
        is_solved=not unsolved,
    )


def _bot_named(name: str, archives: Sequence[Archive]) -> str:
    """Return the bot of that name or display name; raise ArenaError if there is none."""
    names: set[str] = set()
    bots: dict[str, Bot] = {}
    for archive in archives:
        for entry in archive.entries().values():
            names.add(entry.bot)
        for bot in archive.event().bots:
            bots[bot.name] = bot
    if name not in names:
        name = bot_shown(name, bots.values())
    if name not in names:
        known = known_are(name, sorted(names))
        raise ArenaError(f"there is no bot {name!r} in these results; {known}")
    return name


def _labels(
    archives: Sequence[Archive],
    bot: str,
    board: str | None,
    role: Role | None,
) -> list[str]:
    """Return each `game/board` that a choice of `board` means and on which the bot has played.

    Raise ArenaError if there is none, and if the bot has not played the `role` on any of them.
    """
    all_labels = set()
    labels = set()
    roles = set()
    for archive in archives:
        for entry in archive.entries().values():
            if entry.bot != bot:
                continue
            all_labels.add(entry.label)
            if _is_on(entry, board):
                labels.add(entry.label)
                roles.add(entry.role)
    if not labels:
        known = known_are(board or "", sorted(all_labels))
        raise ArenaError(f"--board {board}: {bot} has not played there; {known}")
    if role is not None and role not in roles:
        known = known_are(role, sorted(roles))
        raise ArenaError(f"--role {role}: {bot} has not played it; {known}")
    return sorted(labels)


def _is_on(entry: Entry, board: str | None) -> bool:
    """Say whether a `game/board`, a board's name or a game's name means the board of an entry.

    None means every board.
    """
    return board in {None, entry.label, entry.game, entry.board}


def find_exact(
    archive: Archive,
    bots: Collection[str],
    ids: Iterable[str],
    rules: Rules,
    *,
    most: int,
) -> dict[str, tuple[Lesson, ...]]:
    """Return at most `most` lessons of each bot, from these matches on solved boards only."""
    blunders: defaultdict[str, Blunders] = defaultdict(dict)
    for record, _, assessor in _readable(archive, ids, rules, []):
        if assessor is None:
            continue
        seated = {seat.bot.name for seat in record.match.seats}
        for bot in seated.intersection(bots):
            add_exact(blunders[bot], archive, record, assessor, bot)
    lessons = {}
    for bot, of_bot in blunders.items():
        worst = _worst(of_bot, most)
        lessons_of_bot = [_lesson(blunder, times, rules) for blunder, times in worst]
        lessons[bot] = tuple(lessons_of_bot)
    return lessons


def _readable(
    archive: Archive,
    ids: Iterable[str],
    rules: Rules,
    problems: list[str],
) -> Iterator[tuple[Record, Game[Any], PerfectPlay | None]]:
    """Yield the records of these matches, those of the same board together.

    Add a sentence to `problems` for each match that cannot be read.
    """
    matches = archive.played_of(sorted(ids))
    by_board = sorted(matches, key=attrgetter("label", "repeat", "id"))
    readable = with_assessors(archive, by_board, rules, PerfectPlay, problems)
    for match, record, game, assessor in readable:
        roles = list(game.roles)
        seated = [seat.role for seat in record.match.seats]
        scored = list(record.verdict.scores)
        if seated == roles and scored == roles:
            yield record, game, assessor
        else:
            problems.append(f"match {match.id}: its roles are not those of the game")


def _worst(
    blunders: Blunders,
    most: int,
    role: Role | None = None,
) -> list[tuple[Blunder, int]]:
    """Return at most `most` blunders, the worst of each position, with the number of its matches.

    The order is by points, then by the number of matches.
    """

    def by_points(blunder: Blunder) -> tuple[object, ...]:
        return -blunder.points, blunder.match, blunder.turn

    def order(pair: tuple[Blunder, int]) -> tuple[object, ...]:
        blunder, times = pair
        return -blunder.points, -times, blunder.turn, blunder.match, blunder.role

    worst = []
    for position, in_position in blunders.items():
        if role is not None and position.role != role:
            continue
        matches = {blunder.match for blunder in in_position}
        worst_there = min(in_position, key=by_points)
        worst.append((worst_there, len(matches)))
    worst.sort(key=order)
    return worst[:most]


def _lesson(blunder: Blunder, times: int, rules: Rules) -> Lesson:
    record = blunder.archive.record(blunder.match)
    game = rules(record.match)
    turn = blunder.turn
    role = blunder.role
    state, turns = next(
        (state, turns) for state, turns in positions(game, record.turns) if turns[0].number == turn
    )
    facts = tuple(game.view(state, role))
    uncertain: list[str] = []
    refutation: Sequence[Turn]
    scores: Mapping[Role, int] | None
    assessor = None
    if not blunder.means:
        assessor = PerfectPlay.of(game)
    if assessor is not None:
        after = game.play(state, {role: blunder.move})
        refutation, scores = _best_play(game, assessor, after, turn + 1)
    else:
        if len(turns) > 1:
            uncertain.append(MOVES_AT_ONCE)
        if facts != tuple(game.view(state, None)):
            uncertain.append(HIDDEN)
        refutation = [later for later in record.turns if _is_after(later, turn, role)]
        scores = record.verdict.scores
    return Lesson(
        folder=blunder.archive.folder,
        record=record,
        turn=turn,
        role=role,
        played=blunder.move,
        good=blunder.good,
        points=blunder.points,
        times=times,
        means=blunder.means,
        uncertain=tuple(uncertain),
        facts=facts,
        refutation=tuple(refutation),
        scores=scores,
    )


def _is_after(later: Turn, turn: int, role: Role) -> bool:
    """Say whether a turn belongs to what followed the move of a role, also at the same time."""
    if later.number == turn:
        return later.role != role
    return later.number > turn


def _best_play(
    game: Game[Any],
    assessor: PerfectPlay,
    state: Any,
    number: int,
) -> tuple[list[Turn], Mapping[Role, int] | None]:
    """Return the turns of best play from a state, and the scores at its end.

    The scores are None if the play was cut after MOST_TURNS.
    """
    turns: list[Turn] = []
    while True:
        outcome = game.outcome(state)
        if outcome is not None:
            return turns, outcome.scores
        if len(turns) == MOST_TURNS:
            return turns, None
        (role,) = game.to_move(state)
        move = assessor.best(state, role)[0]
        turn = Turn(number + len(turns), role, move)
        turns.append(turn)
        state = game.play(state, {role: move})
