"""Estimates of moves on boards that are not solved: which of them scored clearly more than those of a bot.

It owns when an estimate is sure enough. It reads no file: archives only stand in what it returns.
"""

# Where no board is solved, nobody knows the value of a position. But other bots may have come to the same one, made
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
from collections.abc import Collection, Mapping, Sequence
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
"""An estimate compares two moves that were each made in so many different matches."""
LEAST_POINTS = 20
"""An estimate is a lesson if another move scored so many points more on average."""
TAIL = 0.025
"""The share of equal pairs of moves in which the second seems better, if only these two are compared."""


class _Choice(NamedTuple):
    """A move that somebody made in a position, and how the match ended."""

    bot: str
    move: Move
    score: int
    transcript: int
    """Equal for matches of which only the first counts."""


class Estimates:
    """What bots made of the positions of one bot on boards that are not solved. Its own matches are added first."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._own: Blunders = {}
        """Each move of the bot; nobody knows yet which are blunders."""
        self._choices: defaultdict[RolePosition, list[_Choice]] = defaultdict(list)
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
        transcript = (
            match.id if by_chance else tuple((turn.role, turn.move) for turn in record.turns)
        )
        for role, name in names.items():
            self._scores[match.label, role, name].append(scores[role])
        for state, turns in positions(game, record.turns):
            for turn in turns:
                if turn.by != "bot" or turn.role not in names:
                    continue
                # A hash, because the facts of a million positions would fill the memory.
                shown = digest_of(
                    game.view(state, turn.role), game.legal_moves(state, turn.role), length=32
                )
                position = RolePosition(match.label, match.sampled, turn.role, shown)
                name = names[turn.role]
                if name == self._bot:
                    blunder = Blunder(
                        0, archive, match.id, turn.number, turn.role, turn.move, (), {}
                    )
                    self._own.setdefault(position, []).append(blunder)
                # In a match of the bot another seat may stand where the bot comes only in a later match.
                if position in self._own or self._bot in names.values():
                    self._choices[position].append(
                        _Choice(name, turn.move, scores[turn.role], hash(transcript))
                    )

    def blunders(self) -> Blunders:
        """Return the moves of the bot in whose positions other moves scored clearly more."""
        means = {key: fmean(scores) for key, scores in self._scores.items()}
        blunders = Blunders()
        for position, own in self._own.items():
            by_move: defaultdict[Move, dict[int, tuple[int, float]]] = defaultdict(dict)
            for choice in self._choices[position]:
                above = choice.score - means[position.label, position.role, choice.bot]
                by_move[choice.move][choice.transcript] = choice.score, above
            scores = {
                move: list(of_move.values())
                for move, of_move in by_move.items()
                if len(of_move) >= LEAST_MATCHES
            }
            averages = {
                move: Mean(len(pairs), fmean(score for score, _ in pairs))
                for move, pairs in scores.items()
            }
            others = {choice.move for choice in self._choices[position] if choice.bot != self._bot}
            better_moves = better_than({blunder.move for blunder in own}, others, scores)
            for blunder in own:
                if better := better_moves.get(blunder.move):
                    good = tuple(sorted(better, key=lambda move: (-better[move], move)))
                    compared = {move: averages[move] for move in (blunder.move, *good)}
                    bad = blunder._replace(
                        points=round(better[good[0]], 1), good=good, means=compared
                    )
                    blunders.setdefault(position, []).append(bad)
        return blunders


def better_than(
    own: Collection[Move],
    others: Collection[Move],
    scores: Mapping[Move, Sequence[tuple[int, float]]],
) -> dict[Move, dict[Move, float]]:
    """Return for each own move the clearly better moves of others, each with the points that it scored more.

    `scores` has, for a move's matches, the score, and by how much it is above the mean of its bot. Moves without scores
    are not compared.
    """
    pairs = [
        (move, other)
        for move in own
        for other in others
        if move != other and {move, other} <= scores.keys()
    ]
    better = defaultdict[Move, dict[Move, float]](dict)
    for move, other in pairs:
        if (points := _difference(scores[move], scores[other], len(pairs))) >= LEAST_POINTS:
            better[move][other] = points
    return better


def _difference(
    worse: Sequence[tuple[int, float]], better: Sequence[tuple[int, float]], comparisons: int
) -> float:
    """Return how many points more a move scored than another; 0 if chance or the strength of bots may explain it."""
    errors = NormalDist().inv_cdf(1 - TAIL / comparisons)
    difference, above = (
        fmean(pair[index] for pair in better) - fmean(pair[index] for pair in worse)
        for index in (0, 1)
    )
    stronger = max(
        0.0, difference - above
    )  # by how much the bots that made the better move score more anyway
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
