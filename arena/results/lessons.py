"""Lessons for a bot: the positions of its matches in which it threw most points away, with the good moves there.

It owns what a lesson is, and how lessons are found and ordered. arena/games/quality.py assesses moves on solved boards.
It does not know how a lesson is printed, nor how a bot is tested by it.
"""

# Where the lessons come from
#
# On a solved board a lesson is exact: the move threw points of score away, whoever the opponent is. Moves that only
# lose turns are no lesson, because they change no result.
#
# On any other board nobody knows the value of a position. But other bots may have come to the same position, made
# other moves there, and scored more. Two positions are the same if the role to move is shown the same facts and has the
# same legal moves. So with hidden cards a position is what the bot could see.
#
# Such an estimate has two dangers. The first is chance, so each move needs LEAST_MATCHES matches that went differently
# (a repetition of the same moves says nothing new), and the difference must be beyond the 95 % interval. Who compares
# five moves with each other finds a large difference sooner or later, so the interval holds for all comparisons of a
# position together: with k of them each may err k times more rarely (Bonferroni), at z standard errors. The interval is
# that of Agresti and Caffo (2000): each move has z²/4 more lost and as many more won matches, for the mean, too.
# `benchmarks/lessons.py` simulates it: fewer than 5 % of the positions with equal moves teach something false; without
# both remedies it was 8 to 70 % of those with five moves. The second danger is strength: a strong
# bot scores more after any move. So the same difference must remain when the mean of a bot in that role on that board
# is subtracted from each of its scores. At the first turn, for instance, a bot that always begins alike has exactly its
# mean, and there is nothing to learn from it.

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby, islice
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

from arena.errors import ArenaError, known_are
from arena.game import Fact, Game, Move, Role
from arena.games.quality import PerfectPlay, perfect_play_of
from arena.protocol import clean
from arena.results.accuracy import MOST_ASSESSED, Rules, with_assessors
from arena.results.archive import Archive
from arena.values import Match, OpeningMoves, Record, Turn, bot_shown

LEAST_MATCHES = 3
"""An estimate compares two moves that were each made in so many different matches."""
LEAST_POINTS = 20
"""An estimate is a lesson if another move scored so many points more on average."""
TAIL = 0.025
"""The share of equal pairs of moves in which the second seems better, if only these two are compared."""
MOST_TURNS = 200
"""Turns of a refutation; drawn positions may go on for ever."""


class Mean(NamedTuple):
    """The matches in which a move was made in a position, those that repeat others left out."""

    matches: int
    score: float
    """Their mean score for the role that made it, 0 to 100."""


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
        """Return the first turns after the move, at most so many, and how it ends; harmless to show."""
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

    lessons: tuple[Lesson, ...]
    matches: int
    """The number of its matches that were looked at."""
    problems: tuple[str, ...]
    """A sentence for each match that could not be looked at."""


class _Blunder(NamedTuple):
    """A move that may become a lesson; the record is read again then."""

    points: float
    archive: Archive
    match: str
    turn: int
    role: Role
    move: Move
    good: tuple[Move, ...]
    means: Mapping[Move, Mean]


class _Position(NamedTuple):
    """A position of a role."""

    label: str
    """`game/board`."""
    sampled: str
    role: Role
    state: Any
    """On a solved board the state, else a hash of what the role is shown and of its legal moves."""


_Blunders = dict[_Position, list[_Blunder]]


def find(
    archives: Sequence[Archive],
    bot: str,
    rules: Rules,
    *,
    board: str | None = None,
    role: Role | None = None,
    most: int,
) -> Lessons:
    """Return the lessons of a bot in the matches that count, at most so many.

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
    labels = sorted({entry.label for entry in own if board in {None, entry.label, entry.board}})
    if not labels:
        raise ArenaError(f"--board {board}: {bot} has not played there; {known_are(board or '', played_on)}")
    roles = sorted({entry.role for entry in own if entry.label in labels})
    if role is not None and role not in roles:
        raise ArenaError(f"--role {role}: {bot} has not played it; {known_are(role, roles)}")

    rules = _remembering(rules)
    blunders, estimates = _Blunders(), _Estimates(bot)
    problems: list[str] = []
    looked_at = 0
    own_ids, unsolved = set[str](), set[str]()
    for archive in archives:
        ids = archive.sample_of(labels, MOST_ASSESSED, bot=bot)
        own_ids.update(ids)
        for record, assessor in _readable(archive, ids, rules, problems):
            looked_at += 1
            if assessor is None:
                unsolved.add(record.match.label)
                estimates.add(archive, record, rules(record.match))
            else:
                _add_exact(blunders, archive, record, assessor, bot)
    for archive in archives if unsolved else ():
        others = set(archive.sample_of(sorted(unsolved), MOST_ASSESSED)) - own_ids
        for record, assessor in _readable(archive, others, rules, problems):
            if assessor is None:
                estimates.add(archive, record, rules(record.match))
    chosen = _worst({**blunders, **estimates.blunders()}, most, role)
    return Lessons(_lessons(chosen, rules), looked_at, tuple(problems))


def find_exact(
    archive: Archive, bots: Collection[str], ids: Iterable[str], rules: Rules, *, most: int
) -> dict[str, tuple[Lesson, ...]]:
    """Return at most so many lessons of each bot, from these matches on solved boards only."""
    rules = _remembering(rules)
    blunders: defaultdict[str, _Blunders] = defaultdict(dict)
    for record, assessor in _readable(archive, ids, rules, []):
        if assessor is not None:
            for bot in {seat.bot.name for seat in record.match.seats}.intersection(bots):
                _add_exact(blunders[bot], archive, record, assessor, bot)
    chosen = {bot: _worst(by_position, most) for bot, by_position in blunders.items()}
    lessons = iter(_lessons([pair for pairs in chosen.values() for pair in pairs], rules))
    return {bot: tuple(islice(lessons, len(pairs))) for bot, pairs in chosen.items()}


def _remembering(rules: Rules) -> Rules:
    """Return the same rules, which look up each board once."""
    games: dict[object, Game[Any]] = {}

    def game_of(match: Match) -> Game[Any]:
        board = match.rules, match.label, match.sampled
        if board not in games:
            games[board] = rules(match)
        return games[board]

    return game_of


def _readable(
    archive: Archive, ids: Iterable[str], rules: Rules, problems: list[str]
) -> Iterator[tuple[Record, PerfectPlay | None]]:
    """Yield the records of these matches, those of one board together; add a sentence for each that cannot be read."""
    matches = sorted(archive.played_of(sorted(ids)), key=lambda match: (match.label, match.repeat, match.id))
    for match, record, assessor in with_assessors(archive, matches, rules, perfect_play_of):
        if isinstance(record, ArenaError):
            problems.append(f"match {match.id}: {record}")
        elif not (
            [seat.role for seat in record.match.seats] == [*rules(record.match).roles] == [*record.verdict.scores]
        ):
            problems.append(f"match {match.id}: its roles are not those of the game")
        else:
            yield record, assessor


def _positions(game: Game[Any], turns: Iterable[Turn]) -> Iterator[tuple[Any, tuple[Turn, ...]]]:
    """Yield the state before each turn, and the moves of this turn, up to the first that the rules do not allow."""
    state, last = game.start(), 0
    for number, group in groupby(turns, key=lambda turn: turn.number):
        moves = tuple(group)
        if (
            number <= last
            or {turn.role for turn in moves} != {*game.to_move(state)}
            or any(turn.move not in game.legal_moves(state, turn.role) for turn in moves)
        ):
            return
        yield state, moves
        last = number
        state = game.play(state, {turn.role: turn.move for turn in moves})


def _add_exact(blunders: _Blunders, archive: Archive, record: Record, assessor: PerfectPlay, bot: str) -> None:
    """Add the moves of a match by which the bot threw points away."""
    qualities = assessor.of_turns(record.turns)
    if not any(quality.points for quality in qualities):
        return
    match, names = record.match, {seat.role: seat.bot.name for seat in record.match.seats}
    for (state, (turn,)), quality in zip(_positions(assessor.game, record.turns), qualities, strict=False):
        if quality.points and turn.by == "bot" and names[turn.role] == bot:
            legal = assessor.game.legal_moves(state, turn.role)
            good = tuple(move for move in legal if not assessor.quality(state, turn.role, move).points)
            blunder = _Blunder(quality.points, archive, match.id, turn.number, turn.role, turn.move, good, {})
            blunders.setdefault(_Position(match.label, match.sampled, turn.role, state), []).append(blunder)


class _Choice(NamedTuple):
    """A move that somebody made in a position, and how the match ended."""

    bot: str
    move: Move
    score: int
    transcript: int
    """Equal for matches of which only the first counts."""


class _Estimates:
    """What bots made of the positions of one bot on boards that are not solved. Its own matches are added first."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._own: _Blunders = {}
        """Each move of the bot; nobody knows yet which are blunders."""
        self._choices: defaultdict[_Position, list[_Choice]] = defaultdict(list)
        self._scores: defaultdict[tuple[str, Role, str], list[int]] = defaultdict(list)
        """By `game/board`, role and bot."""

    def add(self, archive: Archive, record: Record, game: Game[Any]) -> None:
        """Add the choices of a match; a match with a fault is left out, because its score is not due to the moves."""
        match, scores = record.match, record.verdict.scores
        if record.verdict.faults:
            return
        names = {seat.role: seat.bot.name for seat in match.seats}
        # With chance in the game, two matches of the same moves are two observations all the same.
        by_chance = any(turn.by == "chance" for turn in record.turns)
        transcript = match.id if by_chance else tuple((turn.role, turn.move) for turn in record.turns)
        for role, name in names.items():
            self._scores[match.label, role, name].append(scores[role])
        for state, turns in _positions(game, record.turns):
            for turn in turns:
                if turn.by != "bot" or turn.role not in names:
                    continue
                # A hash, because the facts of a million positions would fill the memory.
                shown = "\n".join((*game.view(state, turn.role), "", *game.legal_moves(state, turn.role)))
                position = _Position(match.label, match.sampled, turn.role, sha256(shown.encode()).digest())
                name = names[turn.role]
                if name == self._bot:
                    blunder = _Blunder(0, archive, match.id, turn.number, turn.role, turn.move, (), {})
                    self._own.setdefault(position, []).append(blunder)
                # In a match of the bot another seat may stand where the bot comes only in a later match.
                if position in self._own or self._bot in names.values():
                    self._choices[position].append(_Choice(name, turn.move, scores[turn.role], hash(transcript)))

    def blunders(self) -> _Blunders:
        """Return the moves of the bot in whose positions other moves scored clearly more."""
        means = {key: fmean(scores) for key, scores in self._scores.items()}
        blunders = _Blunders()
        for position, own in self._own.items():
            by_move: defaultdict[Move, dict[int, tuple[int, float]]] = defaultdict(dict)
            for choice in self._choices[position]:
                above = choice.score - means[position.label, position.role, choice.bot]
                by_move[choice.move][choice.transcript] = choice.score, above
            scores = {
                move: list(of_move.values()) for move, of_move in by_move.items() if len(of_move) >= LEAST_MATCHES
            }
            averages = {move: Mean(len(pairs), fmean(score for score, _ in pairs)) for move, pairs in scores.items()}
            others = {choice.move for choice in self._choices[position] if choice.bot != self._bot}
            better_moves = better_than({blunder.move for blunder in own}, others, scores)
            for blunder in own:
                if better := better_moves.get(blunder.move):
                    good = tuple(sorted(better, key=lambda move: (-better[move], move)))
                    compared = {move: averages[move] for move in (blunder.move, *good)}
                    bad = blunder._replace(points=round(better[good[0]], 1), good=good, means=compared)
                    blunders.setdefault(position, []).append(bad)
        return blunders


def better_than(
    own: Collection[Move], others: Collection[Move], scores: Mapping[Move, Sequence[tuple[int, float]]]
) -> dict[Move, dict[Move, float]]:
    """Return for each own move the clearly better moves of others, each with the points that it scored more.

    `scores` has, for a move's matches, the score, and by how much it is above the mean of its bot. Moves without scores
    are not compared.
    """
    pairs = [(move, other) for move in own for other in others if move != other and {move, other} <= scores.keys()]
    better = defaultdict[Move, dict[Move, float]](dict)
    for move, other in pairs:
        if (points := _difference(scores[move], scores[other], len(pairs))) >= LEAST_POINTS:
            better[move][other] = points
    return better


def _difference(worse: Sequence[tuple[int, float]], better: Sequence[tuple[int, float]], comparisons: int) -> float:
    """Return how many points more a move scored than another; 0 if chance or the strength of bots may explain it."""
    errors = NormalDist().inv_cdf(1 - TAIL / comparisons)
    difference, above = (
        fmean(pair[index] for pair in better) - fmean(pair[index] for pair in worse) for index in (0, 1)
    )
    stronger = max(0.0, difference - above)  # by how much the bots that made the better move score more anyway
    (low, low_variance), (high, high_variance) = (
        _cautious([score for score, _ in move], errors) for move in (worse, better)
    )
    sure = high - low - stronger > errors * sqrt(low_variance + high_variance)
    return difference - stronger if sure else 0.0


def _cautious(scores: Sequence[int], errors: float) -> tuple[float, float]:
    """Return the mean and its variance with z²/4 more lost and as many more won matches; z is `errors`."""
    added = errors**2 / 4
    count = len(scores) + 2 * added
    mean = (sum(scores) + 100 * added) / count
    return mean, ((sum(score**2 for score in scores) + 100**2 * added) / count - mean**2) / count


def _worst(blunders: _Blunders, most: int, role: Role | None = None) -> list[tuple[_Blunder, int]]:
    """Return at most so many blunders, the worst of each position, each with the number of matches that have it.

    The order is by points, then by the number of matches.
    """
    worst = [
        (min(group, key=lambda each: (-each.points, each.match, each.turn)), len({each.match for each in group}))
        for position, group in blunders.items()
        if role in {None, position.role}
    ]
    return sorted(worst, key=lambda pair: (-pair[0].points, -pair[1], pair[0].turn, pair[0].match, pair[0].role))[:most]


def _lessons(chosen: Iterable[tuple[_Blunder, int]], rules: Rules) -> tuple[Lesson, ...]:
    """Return the lessons of moves, with their refutations."""
    lessons = list[Lesson]()
    for blunder, times in chosen:
        record = blunder.archive.record(blunder.match)
        game = rules(record.match)
        lessons.append(_lesson(blunder, times, record, game, None if blunder.means else perfect_play_of(game)))
    return tuple(lessons)


def _lesson(blunder: _Blunder, times: int, record: Record, game: Game[Any], assessor: PerfectPlay | None) -> Lesson:
    """Return the lesson of a move in a match; `assessor` is None for an estimate."""
    turn, role = blunder.turn, blunder.role
    state, turns = next(pair for pair in _positions(game, record.turns) if pair[1][0].number == turn)
    facts = tuple(game.view(state, role))
    uncertain = list[str]()
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
