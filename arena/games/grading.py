"""Grades of moves: whether a move kept the value of its position, or how much of it was lost.

On a solved board the value is that of perfect play. Where the rules have a search instead, the grade is an estimate.
Pure. It knows the contract of arena.game, and neither records nor who made a move.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from arena.game import CHANCE, DRAW, Game, Move, Role, Value
from arena.values import Turn

REMEMBERED = 20_000  # positions of a board whose grades are kept: matches of deterministic bots come to the same ones
GRADERS = 64  # boards whose graders are kept; of random mazes each takes 2.5 MB, with the grades of some matches


class Grade(NamedTuple):
    """What a move lost, from the view of the role that moved."""

    points: int = 0
    """The points of score that the move threw away, if both sides play perfectly from then on."""
    turns: int = 0
    """The turns that it lost while it kept the score: a win comes so much later, a loss so much sooner."""
    critical: bool = False
    """True when some legal move throws points away here: only these moves tell good play from bad."""

    @property
    def estimate(self) -> bool:
        """True when a search made the grade, which does not see everything."""
        return False

    def __str__(self) -> str:
        """Return the grade in words, as a replay shows it beside the move; empty for a perfect move."""
        if self.points:
            return f"threw away {self.points} points"
        return f"lost {self.turns} turn{'s' if self.turns > 1 else ''}" if self.turns else ""


class Estimate(Grade):
    """A grade by a search; its points are called a regret."""

    __slots__ = ()

    @property
    def estimate(self) -> bool:
        """True, as a search made the grade."""
        return True

    def __str__(self) -> str:
        """Return the grade in words; empty for a move that no other surpasses."""
        if self.points:
            return f"regret of {self.points} point{'s' if self.points > 1 else ''}, an estimate"
        return f"{super().__str__()}, an estimate" if self.turns else ""


def is_solved(game: Game[Any]) -> bool:
    """Return whether rules say that they can solve their boards, without solving one."""
    return getattr(type(game), "solve", Game.solve) is not Game.solve


def is_estimated(game: Game[Any]) -> bool:
    """Return whether rules say that they can estimate what moves are worth, without making the search."""
    return getattr(type(game), "estimate", Game.estimate) is not Game.estimate


class MoveGrader(ABC):
    """Grades the moves on one board."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self._grades = lru_cache(REMEMBERED)(self._graded)

    def grade(self, state: Any, role: Role, move: Move) -> Grade:
        """Return the grade of a legal move."""
        return self._grades(state, role)[move]

    def best(self, state: Any, role: Role) -> tuple[Move, ...]:
        """Return the legal moves that lose neither points nor turns."""
        return tuple(move for move, grade in self._grades(state, role).items() if not (grade.points or grade.turns))

    def of_turns(self, turns: Iterable[Turn]) -> list[Grade]:
        """Return the grade of each turn of a match, in their order.

        Turns from the first that the rules do not allow have no grade: the rules were edited since, or the record was.
        A turn of chance has no fault.
        """
        state, grades = self.game.start(), list[Grade]()
        for _, group in groupby(turns, key=lambda turn: turn.number):
            moves = {turn.role: turn.move for turn in group}
            if moves.keys() != set(self.game.to_move(state)):
                break
            graded = {
                role: {move: Grade()} if role == CHANCE else self._grades(state, role) for role, move in moves.items()
            }
            if any(move not in graded[role] for role, move in moves.items()):
                break
            grades += [graded[role][move] for role, move in moves.items()]
            state = self.game.play(state, moves)
        return grades

    @abstractmethod
    def _graded(self, state: Any, role: Role) -> dict[Move, Grade]:
        """Return the grade of each legal move."""


class Grader(MoveGrader):
    """Grades by the values of a solved board; `of` returns None for a board that is not solved."""

    def __init__(self, game: Game[Any], value: Any) -> None:
        super().__init__(game)
        self._value = value
        self._first = frozenset(game.sides[0])

    @classmethod
    def of(cls, game: Game[Any]) -> "Grader | None":
        """Return the grader of a board whose rules solve it, else None.

        None, too, when the rules fail to solve it: a record may have a board that nobody thought of, and it has to be
        shown all the same. `arena check-rules` reports the failure.
        """
        try:
            value = game.solve() if is_solved(game) else None
        except Exception:  # noqa: BLE001  whatever rules raise, MemoryError too
            return None
        return None if value is None else cls(game, value)

    def value(self, state: Any) -> Value:
        """Return the value of a state."""
        value: Value = self._value(state)
        return value

    def _graded(self, state: Any, role: Role) -> dict[Move, Grade]:
        """Return the grade of each legal move; empty where several roles move at once, which has no such values."""
        if len(self.game.to_move(state)) > 1:
            return {}
        sign = 1 if role in self._first else -1
        before = self.value(state)
        after = {move: self.value(self.game.play(state, {role: move})) for move in self.game.legal_moves(state, role)}
        lost = {move: sign * (before.score - value.score) for move, value in after.items()}
        critical = any(lost.values())
        hurry = sign * ((before.score > DRAW) - (before.score < DRAW))  # 1: wants the end soon, -1: late, 0: a draw
        return {
            move: Grade(
                points=lost[move],
                turns=0 if lost[move] else hurry * (value.turns + 1 - before.turns),
                critical=critical,
            )
            for move, value in after.items()
        }


class Estimator(MoveGrader):
    """Grades by a search of the rules; `of` returns None for a board without one."""

    def __init__(self, game: Game[Any], worth: Callable[[Any, Role], Mapping[Move, Value]]) -> None:
        super().__init__(game)
        self._worth = worth

    @classmethod
    def of(cls, game: Game[Any]) -> "Estimator | None":
        """Return the estimator of a board whose rules have a search, else None; None, too, when the rules fail."""
        try:
            worth = game.estimate() if is_estimated(game) else None
        except Exception:  # noqa: BLE001  as in Grader.of
            return None
        return None if worth is None else cls(game, worth)

    def worth(self, state: Any, role: Role) -> Mapping[Move, Value]:
        """Return what each legal move is worth to the side of the role, as far as the search sees."""
        return self._worth(state, role)

    def _graded(self, state: Any, role: Role) -> dict[Move, Grade]:
        """Return the grade of each legal move."""
        worth = self.worth(state, role)
        score, quickest = max((value.score, -value.turns) for value in worth.values())
        critical = any(value.score < score for value in worth.values())
        return {
            move: Estimate(
                points=score - value.score,
                turns=0 if value.score < score else value.turns + quickest,
                critical=critical,
            )
            for move, value in worth.items()
        }


def grader_of(game: Game[Any]) -> MoveGrader | None:
    """Return the grader of a board: by its solution, else by the search of its rules; None where there is neither.

    Graders are kept, so that the leaderboard and the replays of a report solve a board, or search a position, once.
    """
    # The law `lasting` demands that a game is hashable; the results of one that is not can be read all the same.
    return _grader_of(game) if isinstance(game, Hashable) else _grader_of.__wrapped__(game)


@lru_cache(GRADERS)
def _grader_of(game: Any) -> MoveGrader | None:
    return Grader.of(game) or Estimator.of(game)


def solver_of(game: Game[Any]) -> Grader | None:
    """Return the grader of a board that is solved, else None."""
    grader = grader_of(game) if is_solved(game) else None
    return grader if isinstance(grader, Grader) else None


def estimator_of(game: Game[Any]) -> Estimator | None:
    """Return the grader of a board that is not solved but has a search, else None."""
    grader = grader_of(game)
    return grader if isinstance(grader, Estimator) else None
