"""The quality of moves: whether a move kept the value of its position, or how much of it was lost.

On a solved board the value is that of perfect play. Where the rules have a search instead, the
quality is an estimate. Pure. It knows the contract of arena.game, and neither records nor who made
a move.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, Self

from arena.game import CHANCE, DRAW, Game, Move, Role, Value
from arena.values import Turn

REMEMBERED = 20_000
"""Positions of a board in memory: matches of deterministic bots come to the same positions."""
ASSESSORS = 64
"""Assessors in memory; that of a random maze takes 2.5 MB, with the moves of some matches."""


class MoveQuality(NamedTuple):
    """What a move lost, from the view of the role that moved."""

    points: int = 0
    """The points of score that the move threw away, if both sides play perfectly from then on."""
    turns: int = 0
    """The turns that it lost while it kept the score: a win comes so much later, a loss so much
    sooner."""
    critical: bool = False
    """True when some legal move throws points away here: only these moves tell good play from
    bad."""
    estimate: bool = False
    """True when a search says so, which does not see everything; then the points are called a
    regret."""

    @property
    def has_loss(self) -> bool:
        """Return whether the move lost points or turns."""
        return self.points != 0 or self.turns != 0

    def __str__(self) -> str:
        """Return the quality in words, as a replay shows it beside the move.

        Empty for a move without a loss.
        """
        if not self.has_loss:
            return ""
        if self.points and not self.estimate:
            return f"threw away {self.points} points"
        if self.points:
            plural = "s" if self.points > 1 else ""
            return f"regret of {self.points} point{plural}, an estimate"
        plural = "s" if self.turns > 1 else ""
        sentence = f"lost {self.turns} turn{plural}"
        if self.estimate:
            sentence += ", an estimate"
        return sentence


def positions(
    game: Game[Any],
    turns: Iterable[Turn],
) -> Iterator[tuple[Any, tuple[Turn, ...]]]:
    """Yield the state before each turn and the moves of the turn, up to the first illegal turn."""
    state = game.start()
    last = 0
    for number, group in groupby(turns, key=lambda turn: turn.number):
        moves = tuple(group)
        if number <= last or not _are_legal(game, state, moves):
            return
        yield state, moves
        last = number
        move_of = {turn.role: turn.move for turn in moves}
        state = game.play(state, move_of)


def _are_legal(game: Game[Any], state: Any, moves: tuple[Turn, ...]) -> bool:
    """Return whether every role that is to move, and no other, makes a legal move."""
    roles = {turn.role for turn in moves}
    if roles != set(game.to_move(state)):
        return False
    return all(turn.move in game.legal_moves(state, turn.role) for turn in moves)


class Assessor(ABC):
    """Says how good the moves on one board are."""

    METHOD: ClassVar[str]
    """The method of `Game` that returns the function `worth`."""

    def __init__(self, game: Game[Any], worth: Callable[..., Any]) -> None:
        """`worth` is the function that the method returned."""
        self.game = game
        self.worth = worth
        self._qualities = lru_cache(REMEMBERED)(self._assess)

    @classmethod
    def offered(cls, game: Game[Any]) -> bool:
        """Return whether the rules have the method; no board is solved or searched for this."""
        by_default = getattr(Game, cls.METHOD)
        return getattr(type(game), cls.METHOD, by_default) is not by_default

    @classmethod
    def of(cls, game: Game[Any]) -> Self | None:
        """Return the assessor of a board if it is of this kind, otherwise None."""
        if not cls.offered(game):
            return None
        assessor = assessor_of(game)
        if isinstance(assessor, cls):
            return assessor
        return None

    def quality(self, state: Any, role: Role, move: Move) -> MoveQuality:
        """Return the quality of a legal move."""
        return self._qualities(state, role)[move]

    def best(self, state: Any, role: Role) -> tuple[Move, ...]:
        """Return the legal moves that lose neither points nor turns."""
        qualities = self._qualities(state, role)
        return tuple(move for move in qualities if not qualities[move].has_loss)

    def of_turns(self, turns: Iterable[Turn]) -> list[MoveQuality]:
        """Return the quality of each turn of a match, in their order.

        The list ends before the first turn that the rules do not allow: the rules were edited
        since, or the record was. A turn of chance has no loss, nor has a move without a value, as
        where several roles move at once.
        """
        no_loss = MoveQuality()
        qualities = []
        for state, moves in positions(self.game, turns):
            for turn in moves:
                quality = no_loss
                if turn.role != CHANCE:
                    by_move = self._qualities(state, turn.role)
                    quality = by_move.get(turn.move, no_loss)
                qualities.append(quality)
        return qualities

    @abstractmethod
    def _assess(self, state: Any, role: Role) -> dict[Move, MoveQuality]:
        """Return the quality of each legal move."""


class PerfectPlay(Assessor):
    """Assesses by the values of a solved board."""

    METHOD = "solve"

    def _assess(self, state: Any, role: Role) -> dict[Move, MoveQuality]:
        """Return the quality of each legal move.

        Return `{}` where several roles move at once, because these positions have no value.
        """
        if len(self.game.to_move(state)) > 1:
            return {}
        sign = -1
        if role in self.game.sides[0]:
            sign = 1
        before = self.worth(state)
        after: dict[Move, Value] = {}
        points_lost: dict[Move, int] = {}
        for move in self.game.legal_moves(state, role):
            next_state = self.game.play(state, {role: move})
            value = self.worth(next_state)
            after[move] = value
            fall = before.score - value.score
            points_lost[move] = sign * fall
        critical = any(points_lost.values())

        hurry = 0  # a draw
        if before.score > DRAW:
            hurry = sign  # the first side wants the end soon, the second side late
        elif before.score < DRAW:
            hurry = -sign

        qualities = {}
        for move, value in after.items():
            points = points_lost[move]
            turns = 0
            if not points:
                delay = value.turns + 1 - before.turns
                turns = hurry * delay
            qualities[move] = MoveQuality(points, turns, critical)
        return qualities


class Estimator(Assessor):
    """Assesses by a search of the rules."""

    METHOD = "estimate"

    def _assess(self, state: Any, role: Role) -> dict[Move, MoveQuality]:
        worth = self.worth(state, role)
        scores = [value.score for value in worth.values()]
        best_score = max(scores)
        critical = min(scores) < best_score
        best_values = [value for value in worth.values() if value.score == best_score]
        fewest_turns = min(value.turns for value in best_values)

        qualities = {}
        for move, value in worth.items():
            turns = 0
            if value.score == best_score:
                turns = value.turns - fewest_turns
            points = best_score - value.score
            qualities[move] = MoveQuality(points, turns, critical, estimate=True)
        return qualities


def assessor_of(game: Game[Any]) -> Assessor | None:
    """Return the assessor of a board: by its solution, otherwise by the search of its rules.

    Return None where the rules have neither. Assessors stay in memory, so that the leaderboard and
    the replays of a report solve a board, or search a position, only once.
    """
    if isinstance(game, Hashable):
        return _assessor_of(game)
    # The law `lasting` demands a game that is hashable, but results of another can be read, too.
    return _assessor_of.__wrapped__(game)


def qualities_of(game: Game[Any], turns: Iterable[Turn]) -> list[MoveQuality]:
    """Return the quality of each turn of a match; none where nothing assesses its board."""
    assessor = assessor_of(game)
    if assessor is None:
        return []
    return assessor.of_turns(turns)


@lru_cache(ASSESSORS)
def _assessor_of(game: Any) -> Assessor | None:
    for kind in (PerfectPlay, Estimator):
        # A record may have a board that nobody thought of, and it has to be shown all the same,
        # whatever rules raise, MemoryError too. `arena check-rules` reports the failure.
        with suppress(Exception):
            if not kind.offered(game):
                continue
            worth = getattr(game, kind.METHOD)()
            if worth is not None:
                return kind(game, worth)
    return None
