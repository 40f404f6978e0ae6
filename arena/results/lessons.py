"""Lessons for a bot: the positions of its matches in which it threw most points away, with the good moves there.

It owns what a lesson is, and how lessons are found and ordered. arena/games/quality.py assesses moves on solved boards.
It does not know how a lesson is printed, nor how a bot is tested by it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from arena.display_names import bot_shown
from arena.errors import ArenaError, known_are
from arena.game import Fact, Game, Move, Role
from arena.games.quality import PerfectPlay, positions
from arena.protocol import clean
from arena.results.accuracy import MOST_ASSESSED, REGRET, Rules, load_or_assess, with_assessors
from arena.results.archive import Archive
from arena.results.blunders import Blunder, Blunders, Mean, add_exact
from arena.results.move_estimates import LEAST_MATCHES, Estimates
from arena.values import OpeningMoves, Record, Turn

MOST_TURNS = 200
"""Turns of a refutation; drawn positions may go on for ever."""


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
    """The moves that keep the value of the position, in the order of the rules; of an estimate those that scored more,
    the best first."""
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
    """The turns after the move: best play on a solved board, else what the match did."""
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
        return tuple((turn.role, turn.move) for turn in self.record.turns if turn.number < self.turn)

    @property
    def verdict(self) -> str:
        """Say in words what the move threw away."""
        if not self.is_estimate:
            return f"threw away {self.points:g} points"
        own, best = self.means[self.played], self.means[self.good[0]]
        other = f"{clean(self.good[0])} {best.score:.0f} in {best.matches}"
        return f"an estimate: it scored {own.score:.0f} in {own.matches} matches, {other}"

    def refutation_text(self, most: int) -> str:
        """Return the first turns after the move, at most `most`, and how it ends; harmless to show."""
        shown = [clean(f"{turn.role} {turn.move}") for turn in self.refutation[:most]]
        if len(self.refutation) > most:
            shown.append("...")
        if self.scores is None:
            end = f"no end within {MOST_TURNS} turns"
        else:
            last = max((turn.number for turn in self.refutation), default=self.turn)
            end = f"after turn {last}: {', '.join(f'{role} {score}' for role, score in self.scores.items())}"
        return f"{'; '.join([*shown, end])} ({'as the match went on' if self.is_estimate else 'best play of all'})"


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
    for archive in archives:
        entries = archive.entries().values()
        labels = {entry.label for entry in entries if board in {None, entry.label, entry.game, entry.board}}
        for match, figures in load_or_assess(archive, sorted(labels), rules, REGRET):
            points = 0
            for assessed_role, (_, lost, _) in figures.items():
                if match.seats.get(assessed_role) == bot and role in {None, assessed_role}:
                    points += lost
            if points > (worst.points if worst else 0):
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

    `board` is a `game/board` or a board's name; `board` and `role` choose among the lessons. Of each archive at most
    MOST_ASSESSED matches of the bot are looked at, and as many matches of others where no board is solved. ArenaError
    for an unknown bot, board or role.
    """
    entries = [entry for archive in archives for entry in archive.entries().values()]
    bots = sorted({entry.bot for entry in entries})
    if bot not in bots:
        bot = bot_shown(bot, {each.name: each for archive in archives for each in archive.event().bots}.values())
    if bot not in bots:
        raise ArenaError(f"there is no bot {bot!r} in these results; {known_are(bot, bots)}")
    own = [entry for entry in entries if entry.bot == bot]
    played_on = sorted({entry.label for entry in own})
    labels = sorted({entry.label for entry in own if board in {None, entry.label, entry.game, entry.board}})
    if not labels:
        raise ArenaError(f"--board {board}: {bot} has not played there; {known_are(board or '', played_on)}")
    roles = sorted({entry.role for entry in own if entry.label in labels})
    if role is not None and role not in roles:
        raise ArenaError(f"--role {role}: {bot} has not played it; {known_are(role, roles)}")

    blunders, estimates = Blunders(), Estimates(bot)
    problems: list[str] = []
    looked_at = 0
    own_ids, unsolved = set[str](), set[str]()
    for archive in archives:
        ids = archive.sample_of(labels, MOST_ASSESSED, bot=bot)
        own_ids.update(ids)
        for record, game, assessor in _readable(archive, ids, rules, problems):
            looked_at += 1
            if assessor is None:
                unsolved.add(record.match.label)
                estimates.add(archive, record, game)
            else:
                add_exact(blunders, archive, record, assessor, bot)
    for archive in archives if unsolved else ():
        others = set(archive.sample_of(sorted(unsolved), MOST_ASSESSED)) - own_ids
        for record, game, assessor in _readable(archive, others, rules, problems):
            if assessor is None:
                estimates.add(archive, record, game)
    chosen = _worst({**blunders, **estimates.blunders()}, most, role)
    lessons = tuple(_lesson(blunder, times, rules) for blunder, times in chosen)
    return Lessons(bot, lessons, looked_at, tuple(problems), is_solved=not unsolved)


def find_exact(
    archive: Archive, bots: Collection[str], ids: Iterable[str], rules: Rules, *, most: int
) -> dict[str, tuple[Lesson, ...]]:
    """Return at most `most` lessons of each bot, from these matches on solved boards only."""
    blunders: defaultdict[str, Blunders] = defaultdict(dict)
    for record, _, assessor in _readable(archive, ids, rules, []):
        if assessor is not None:
            for bot in {seat.bot.name for seat in record.match.seats}.intersection(bots):
                add_exact(blunders[bot], archive, record, assessor, bot)
    return {
        bot: tuple(_lesson(blunder, times, rules) for blunder, times in _worst(of_bot, most))
        for bot, of_bot in blunders.items()
    }


def _readable(
    archive: Archive, ids: Iterable[str], rules: Rules, problems: list[str]
) -> Iterator[tuple[Record, Game[Any], PerfectPlay | None]]:
    """Yield the records of these matches, those of one board together; add a sentence for each that cannot be read."""
    matches = sorted(archive.played_of(sorted(ids)), key=lambda match: (match.label, match.repeat, match.id))
    for match, record, game, assessor in with_assessors(archive, matches, rules, PerfectPlay, problems):
        if [seat.role for seat in record.match.seats] == [*game.roles] == [*record.verdict.scores]:
            yield record, game, assessor
        else:
            problems.append(f"match {match.id}: its roles are not those of the game")


def _worst(blunders: Blunders, most: int, role: Role | None = None) -> list[tuple[Blunder, int]]:
    """Return at most `most` blunders, the worst of each position, each with the number of matches that have it.

    The order is by points, then by the number of matches.
    """
    worst = [
        (min(group, key=lambda each: (-each.points, each.match, each.turn)), len({each.match for each in group}))
        for position, group in blunders.items()
        if role in {None, position.role}
    ]
    return sorted(worst, key=lambda pair: (-pair[0].points, -pair[1], pair[0].turn, pair[0].match, pair[0].role))[:most]


def _lesson(blunder: Blunder, times: int, rules: Rules) -> Lesson:
    record = blunder.archive.record(blunder.match)
    game = rules(record.match)
    turn, role = blunder.turn, blunder.role
    state, turns = next(pair for pair in positions(game, record.turns) if pair[1][0].number == turn)
    facts = tuple(game.view(state, role))
    uncertain = list[str]()
    assessor = None if blunder.means else PerfectPlay.of(game)
    if assessor is not None:
        after = game.play(state, {role: blunder.move})
        refutation, scores = _best_play(game, assessor, after, turn + 1)
    else:
        if len(turns) > 1:
            uncertain.append("roles move at once here, so the best move depends on what the others choose")
        if facts != tuple(game.view(state, None)):
            uncertain.append("something is hidden here, so the best move depends on what the others may hold")
        refutation = tuple(
            later for later in record.turns if later.number > turn or (later.number == turn and later.role != role)
        )
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
        refutation=refutation,
        scores=scores,
    )


def _best_play(
    game: Game[Any], assessor: PerfectPlay, state: Any, number: int
) -> tuple[tuple[Turn, ...], Mapping[Role, int] | None]:
    """Return the turns of best play from a state, and the scores at its end; None for the scores if it was cut."""
    turns = list[Turn]()
    while (outcome := game.outcome(state)) is None and len(turns) < MOST_TURNS:
        (role,) = game.to_move(state)
        move = assessor.best(state, role)[0]
        turns.append(Turn(number + len(turns), role, move))
        state = game.play(state, {role: move})
    return tuple(turns), None if outcome is None else outcome.scores
