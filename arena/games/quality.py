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

from arena.game import CHANCE, DRAW, Game, Move, Role
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

    def __str__(self) -> str:
        """Return the quality in words, as a replay shows it beside the move.

        Empty for a move without a loss.
        """
        if not self.points and not self.turns:
            return ""
        if self.points and self.estimate:
            return f"regret of {self.points} point{'s' if self.points > 1 else ''}, an estimate"
        if self.points:
            return f"threw away {self.points} points"
        words = f"lost {self.turns} turn{'s' if self.turns > 1 else ''}"
        return f"{words}, an estimate" if self.estimate else words


def positions(game: Game[Any], turns: Iterable[Turn]) -> Iterator[tuple[Any, tuple[Turn, ...]]]:
    """Yield the state before each turn and the moves of the turn, up to the first illegal turn."""
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


class Assessor(ABC):
    """Says how good the moves on one board are."""

    METHOD: ClassVar[str]
    """The method of `Game` by which rules make what the assessor asks."""

    def __init__(self, game: Game[Any], worth: Callable[..., Any]) -> None:
        """`worth` is what the method returned."""
        self.game, self.worth = game, worth
        self._qualities = lru_cache(REMEMBERED)(self._assess)

    @classmethod
    def offered(cls, game: Game[Any]) -> bool:
        """Return whether the rules have the method; no board is solved or searched for this."""
        by_default = getattr(Game, cls.METHOD)
        return getattr(type(game), cls.METHOD, by_default) is not by_default

    @classmethod
    def of(cls, game: Game[Any]) -> Self | None:
        """Return the assessor of a board if it is of this kind, else None."""
        assessor = assessor_of(game) if cls.offered(game) else None
        return assessor if isinstance(assessor, cls) else None

    def quality(self, state: Any, role: Role, move: Move) -> MoveQuality:
        """Return the quality of a legal move."""
        return self._qualities(state, role)[move]

    def best(self, state: Any, role: Role) -> tuple[Move, ...]:
        """Return the legal moves that lose neither points nor turns."""
        return tuple(
            move
            for move, quality in self._qualities(state, role).items()
            if not (quality.points or quality.turns)
        )

    def of_turns(self, turns: Iterable[Turn]) -> list[MoveQuality]:
        """Return the quality of each turn of a match, in their order.

        Turns from the first that the rules do not allow have none: the rules were edited since, or
        the record was. A turn of chance has no fault, nor has a move that nobody has a value of, as
        where several roles move at once.
        """
        no_loss = MoveQuality()
        return [
            no_loss
            if turn.role == CHANCE
            else self._qualities(state, turn.role).get(turn.move, no_loss)
            for state, moves in positions(self.game, turns)
            for turn in moves
        ]

    @abstractmethod
    def _assess(self, state: Any, role: Role) -> dict[Move, MoveQuality]:
        """Return the quality of each legal move."""


class PerfectPlay(Assessor):
    """Assesses by the values of a solved board."""

    METHOD = "solve"

    def _assess(self, state: Any, role: Role) -> dict[Move, MoveQuality]:
        """Return the quality of each legal move.

        Empty where several roles move at once, which has no such values.
        """
        if len(self.game.to_move(state)) > 1:
            return {}
        sign = 1 if role in self.game.sides[0] else -1
        before = self.worth(state)
        after = {
            move: self.worth(self.game.play(state, {role: move}))
            for move in self.game.legal_moves(state, role)
        }
        lost = {move: sign * (before.score - value.score) for move, value in after.items()}
        critical = any(lost.values())
        hurry = sign * (
            (before.score > DRAW) - (before.score < DRAW)
        )  # 1: wants the end soon, -1: late, 0: a draw
        return {
            move: MoveQuality(
                points=lost[move],
                turns=0 if lost[move] else hurry * (value.turns + 1 - before.turns),
                critical=critical,
            )
            for move, value in after.items()
        }


class Estimator(Assessor):
    """Assesses by a search of the rules."""

    METHOD = "estimate"

    def _assess(self, state: Any, role: Role) -> dict[Move, MoveQuality]:
        worth = self.worth(state, role)
        score, quickest = max((value.score, -value.turns) for value in worth.values())
        critical = any(value.score < score for value in worth.values())
        return {
            move: MoveQuality(
                points=score - value.score,
                turns=0 if value.score < score else value.turns + quickest,
                critical=critical,
                estimate=True,
            )
            for move, value in worth.items()
        }


def assessor_of(game: Game[Any]) -> Assessor | None:
    """Return the assessor of a board: by its solution, else by the search of its rules.

    None where there is neither. Assessors are kept, so that the leaderboard and the replays of a
    report solve a board, or search a position, once.
    """
    # The law `lasting` demands that a game is hashable; the results of one that is not can be read
    # all the same.
    return _assessor_of(game) if isinstance(game, Hashable) else _assessor_of.__wrapped__(game)


@lru_cache(ASSESSORS)
def _assessor_of(game: Any) -> Assessor | None:
    for kind in (PerfectPlay, Estimator):
        # A record may have a board that nobody thought of, and it has to be shown all the same,
        # whatever rules raise, MemoryError too. `arena check-rules` reports the failure.
        with suppress(Exception):
            if kind.offered(game) and (worth := getattr(game, kind.METHOD)()) is not None:
                return kind(game, worth)
    return None
