"""Estimates of moves on boards that are not solved: which scored clearly more than a bot's moves.

It owns when an estimate is sure enough. It reads no file: archives only stand in what it returns.
"""

# Where no board is solved, nobody knows the value of a position. But other bots may have come to
# the same one, made other moves there, and scored more. Two positions are the same if the role to
# move has the same view and the same legal moves. So with hidden cards a position is what the bot
# could see.
#
# Such an estimate has two dangers. The first is chance, so each move needs LEAST_MATCHES matches
# that went differently (a repetition of the same moves says nothing new), and the difference must
# be beyond the 95 % interval. Whoever compares five moves with each other finds a large difference
# sooner or later, so the interval holds for all comparisons of a position together: with k of them
# each may err k times more rarely (Bonferroni), at z standard errors. Matches of the same bots with
# the same seed share their luck, whatever role each bot has: two copies of a bot with chance even
# make the same moves in both legs. So the mean of a move in such a group is one observation (it was
# each match, and then one position in six with equal moves taught something false). The interval is
# that of Agresti and Caffo (2000): each move has z²/4 more lost and as many more won matches, for
# the mean, too. `benchmarks/lessons.py` simulates it: fewer than 5 % of the positions with equal
# moves teach something false; without both remedies it was 8 to 70 % of those with five moves. The
# second danger is strength: a strong bot scores more after any move. So the same difference must
# remain when the mean of a bot in that role on that board is subtracted from each of its scores. At
# the first turn, for instance, a bot that always begins alike has exactly its mean, and there is
# nothing to learn from it.

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from math import sqrt
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

from arena.game import Game, Move, Role
from arena.games.quality import positions
from arena.identity import digest_of
from arena.results.archive import Archive
from arena.results.blunders import Blunder, Blunders, Mean, RolePosition
from arena.values import Record

LEAST_MATCHES = 3
"""An estimate compares two moves that were each made in as many different matches, where those of
the same bots with the same seed count as one."""
LEAST_POINTS = 20
"""An estimate is a lesson if another move scored as many points more on average."""
TAIL = 0.025
"""The share of equal pairs of moves in which the second seems better, if these are the only two."""


class _Choice(NamedTuple):
    """A move that somebody made in a position, and how the match ended."""

    bot: str
    move: Move
    score: int
    transcript: int
    """Equal for matches of which only the first counts."""
    group: int
    """Equal for matches of the same bots with the same seed on a board, which share their luck."""


class _Scores(NamedTuple):
    """What a move scored in a position."""

    matches: list[int]
    """The score of each match."""
    groups: list[tuple[float, float]]
    """The mean score of each group of matches, and by how much it is above the mean of the bots."""


class Estimates:
    """What bots made of the positions of one bot on boards that are not solved.

    The matches of that bot are added first.
    """

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._moves: Blunders = {}
        """Each move of the bot; nobody knows yet which are blunders."""
        self._choices: defaultdict[RolePosition, list[_Choice]] = defaultdict(list)
        self._scores: defaultdict[tuple[str, Role, str], list[int]] = defaultdict(list)
        """By `game/board`, role and bot."""

    def add(self, archive: Archive, record: Record, game: Game[Any]) -> None:
        """Add the choices of a match.

        A match with a fault is left out, because its score is not due to the moves.
        """
        if record.verdict.faults:
            return
        match = record.match
        scores = record.verdict.scores
        names = {seat.role: seat.bot.name for seat in match.seats}
        for role, name in names.items():
            self._scores[match.label, role, name].append(scores[role])

        bots = frozenset(names.values())
        transcript = _transcript(record)
        group = hash((match.label, match.sampled, match.seed, bots))
        for state, turns in positions(game, record.turns):
            for turn in turns:
                role = turn.role
                if turn.by != "bot" or role not in names:
                    continue
                # A hash, because the facts of a million positions would fill the memory.
                view = game.view(state, role)
                legal_moves = game.legal_moves(state, role)
                state_hash = digest_of(view, legal_moves, length=32)
                position = RolePosition(match.label, match.sampled, role, state_hash)
                bot = names[role]
                if bot == self._bot:
                    move = Blunder(
                        points=0,
                        archive=archive,
                        match=match.id,
                        turn=turn.number,
                        role=role,
                        move=turn.move,
                        good=(),
                        means={},
                    )
                    moves = self._moves.setdefault(position, [])
                    moves.append(move)
                # In a match of the bot another seat may stand where the bot comes only in a later
                # match.
                if position in self._moves or self._bot in bots:
                    choice = _Choice(
                        bot=bot,
                        move=turn.move,
                        score=scores[role],
                        transcript=transcript,
                        group=group,
                    )
                    self._choices[position].append(choice)

    def blunders(self) -> Blunders:
        """Return the moves of the bot in whose positions other moves scored clearly more."""
        means = {key: fmean(scores) for key, scores in self._scores.items()}
        blunders = Blunders()
        for position, moves in self._moves.items():
            choices = self._choices[position]
            scores = _scores_of(position, choices, means)
            chosen = {blunder.move for blunder in moves}
            alternatives = {choice.move for choice in choices if choice.bot != self._bot}
            observations = {move: of_move.groups for move, of_move in scores.items()}
            better_moves = better_than(chosen, alternatives, observations)
            for blunder in moves:
                better = better_moves.get(blunder.move)
                if better is None:
                    continue
                lesson = _lesson(blunder, better, scores)
                blunders_there = blunders.setdefault(position, [])
                blunders_there.append(lesson)
        return blunders


def _lesson(
    blunder: Blunder,
    better: Mapping[Move, float],
    scores: Mapping[Move, _Scores],
) -> Blunder:
    """Return a blunder with the better moves, best first, and with the means of all these moves."""
    good = sorted(better, key=lambda move: (-better[move], move))
    means = {}
    for move in chain([blunder.move], good):
        matches = scores[move].matches
        means[move] = Mean(len(matches), fmean(matches))
    best = good[0]
    points = round(better[best], 1)
    return blunder._replace(
        points=points,
        good=tuple(good),
        means=means,
    )


def _transcript(record: Record) -> int:
    """Return a hash of how a match went, equal for matches that repeat each other.

    With chance in the game, two matches of the same moves are two observations all the same.
    """
    if any(turn.by == "chance" for turn in record.turns):
        return hash(record.match.id)
    moves = tuple((turn.role, turn.move) for turn in record.turns)
    return hash(moves)


def _scores_of(
    position: RolePosition,
    choices: Iterable[_Choice],
    means: Mapping[tuple[str, Role, str], float],
) -> dict[Move, _Scores]:
    """Return what each move scored that was made in LEAST_MATCHES groups of matches.

    `means` are by `game/board`, role and bot.
    """
    by_move: defaultdict[Move, dict[int, _Choice]] = defaultdict(dict)
    for choice in choices:
        by_transcript = by_move[choice.move]
        by_transcript.setdefault(choice.transcript, choice)

    scores = {}
    for move, by_transcript in by_move.items():
        matches = []
        by_group: defaultdict[int, list[_Choice]] = defaultdict(list)
        for choice in by_transcript.values():
            matches.append(choice.score)
            by_group[choice.group].append(choice)
        if len(by_group) < LEAST_MATCHES:
            continue
        groups = []
        for group in by_group.values():
            of_bots = []
            for choice in group:
                key = (position.label, position.role, choice.bot)
                of_bots.append(means[key])
            score = fmean(choice.score for choice in group)
            above = score - fmean(of_bots)
            groups.append((score, above))
        scores[move] = _Scores(matches=matches, groups=groups)
    return scores


def better_than(
    chosen: Collection[Move],
    alternatives: Collection[Move],
    scores: Mapping[Move, Sequence[tuple[float, float]]],
) -> dict[Move, dict[Move, float]]:
    """Return for each chosen move the clearly better alternatives, and by how many points.

    `scores` has, for a move's matches, the score, and by how much it is above the mean of its bot;
    of matches that share their luck, the means of both.
    Moves without scores are not compared.
    """
    pairs = []
    for move in chosen:
        if move not in scores:
            continue
        for alternative in alternatives:
            if alternative != move and alternative in scores:
                pairs.append((move, alternative))
    better: defaultdict[Move, dict[Move, float]] = defaultdict(dict)
    for move, alternative in pairs:
        points = _difference(scores[move], scores[alternative], len(pairs))
        if points >= LEAST_POINTS:
            better[move][alternative] = points
    return better


def _difference(
    worse: Sequence[tuple[float, float]],
    better: Sequence[tuple[float, float]],
    comparisons: int,
) -> float:
    """Return how many points more a move scored than another.

    It is 0 if chance or the strength of bots may explain the difference.
    """
    errors = NormalDist().inv_cdf(1 - TAIL / comparisons)
    worse_scores = [score for score, _ in worse]
    better_scores = [score for score, _ in better]
    difference = fmean(better_scores) - fmean(worse_scores)
    worse_above = fmean(above for _, above in worse)
    better_above = fmean(above for _, above in better)
    difference_above = better_above - worse_above
    # By how much the bots that made the better move score more anyway.
    stronger = max(0.0, difference - difference_above)

    low, low_variance = _cautious(worse_scores, errors)
    high, high_variance = _cautious(better_scores, errors)
    margin = errors * sqrt(low_variance + high_variance)
    if high - low - stronger > margin:
        return difference - stronger
    return 0.0


def _cautious(scores: Sequence[float], errors: float) -> tuple[float, float]:
    """Return a mean and its variance with z²/4 more lost and as many more won matches.

    `errors` is z.
    """
    added = errors**2 / 4
    count = len(scores) + 2 * added
    sum_of_scores = sum(scores) + 100 * added
    mean = sum_of_scores / count
    squares = [score**2 for score in scores]
    sum_of_squares = sum(squares) + 100**2 * added
    variance = sum_of_squares / count - mean**2
    return mean, variance / count
