"""Grades of moves on solved boards: whether a move kept the value of its position, or how much of it was lost.

Pure. It knows the contract of arena.game, and neither records nor who made a move.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from arena.game import DRAW, Game, Move, Role, Value
from arena.values import Turn

REMEMBERED = 20_000  # positions of a board whose moves are graded already: matches of fixed bots meet the same ones


class Grade(NamedTuple):
    """What a move made of its position, from the view of the role that moved."""

    points: int = 0
    """The points of score that the move threw away, if both sides play perfectly from then on."""
    turns: int = 0
    """The turns that it lost while it kept the score: a win comes so much later, a loss so much sooner."""
    critical: bool = False
    """True when some legal move throws points away here: only these moves tell good play from bad."""

    def __str__(self) -> str:
        """Return the grade in words, as a replay shows it beside the move; empty for a perfect move."""
        if self.points:
            return f"threw away {self.points} points"
        return f"lost {self.turns} turn{'s' if self.turns > 1 else ''}" if self.turns else ""


def is_solved(game: Game[Any]) -> bool:
    """Return whether rules say that they can solve their boards, without solving one."""
    return getattr(type(game), "solve", Game.solve) is not Game.solve


class Grader:
    """Grades the moves on one board; `of` returns None for a board that is not solved."""

    def __init__(self, game: Game[Any], value: Any) -> None:
        self.game, self._value = game, value
        self._first = frozenset(game.sides[0])
        self._grades = lru_cache(REMEMBERED)(self._graded)

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

    def grade(self, state: Any, role: Role, move: Move) -> Grade:
        """Return the grade of a legal move."""
        return self._grades(state, role)[move]

    def best(self, state: Any, role: Role) -> tuple[Move, ...]:
        """Return the legal moves that lose neither points nor turns."""
        return tuple(move for move, grade in self._grades(state, role).items() if not (grade.points or grade.turns))

    def of_turns(self, turns: Iterable[Turn]) -> list[Grade]:
        """Return the grade of each turn of a match, in their order.

        Turns from the first that the rules do not allow have no grade: the rules were edited since, or the record was.
        """
        state, grades = self.game.start(), list[Grade]()
        for _, group in groupby(turns, key=lambda turn: turn.number):
            moves = {turn.role: turn.move for turn in group}
            movers = self.game.to_move(state)
            if len(moves) != 1 or tuple(moves) != tuple(movers):
                break
            ((role, move),) = moves.items()
            if move not in (graded := self._grades(state, role)):
                break
            grades.append(graded[move])
            state = self.game.play(state, moves)
        return grades

    def _graded(self, state: Any, role: Role) -> dict[Move, Grade]:
        """Return the grade of each legal move."""
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
