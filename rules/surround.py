"""Surround: four riders leave trails that nobody can cross; whoever rides longest wins. Boards: surround.toml."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arena.drawing import Grid, Mark, Piece
from arena.game import Fact, Game, Move, Outcome, Role, Symmetry

from .grid import MOST_CELLS_A_SIDE, Cell, board_facts, steps


class State(NamedTuple):
    """The trail of each role, and when each crashed, both in order of play."""

    trails: tuple[tuple[Cell, ...], ...]
    """Its cells in the order in which they were entered; the rider stands in the last."""
    crashes: tuple[int, ...] = (0, 0, 0, 0)
    """The turn of each crash; 0 = still riding."""
    turn: int = 0
    """The number of turns that were played."""


@dataclass(frozen=True)
class Surround(Game[State]):
    """The game on a square; the riders start in its corners."""

    size: int = 9
    """The number of cells along a side."""

    roles = ("red", "green", "blue", "yellow")
    open = True
    drawing = (
        Grid(),
        Piece("at ROLE X Y", colour="ROLE"),
        Mark("trail ROLE X Y", sign="role", shape="square", colour="ROLE"),
    )
    symmetry = Symmetry(("x", "y", "diagonal"))
    manual = """
        `red`, `green`, `blue` and `yellow` stand on the cells (<x>, <y>) of a square and all move together.
        `size <low> <high>`: both coordinates are <low> to <high>. `at <who> <x> <y>`: where somebody stands.
        `trail <who> <x> <y>`: a cell where <who> was before. Nobody may enter it, nor a cell where somebody stands.
        You say `move` and a direction: `north` (<y> + 1), `south` (<y> - 1), `east` (<x> + 1) or `west` (<x> - 1).
        All who come to the same cell crash; so does everybody who then has no free cell beside them. `out <who> <n>`:
        they crashed in round <n> and play no more, but their cells stay. `turns <n>` rounds were played.
        When one or none is left, each has a third of 100 points for each of the others who crashed earlier, and half of
        that for each who crashed in the same round.
    """

    def __post_init__(self) -> None:
        """Refuse a board that cannot be played."""
        if not isinstance(self.size, int) or not 3 <= self.size <= MOST_CELLS_A_SIDE:
            raise ValueError(f"size: expected a whole number from 3 to {MOST_CELLS_A_SIDE}, not {self.size}")

    @cached_property
    def _next(self) -> dict[Cell, dict[Move, Cell]]:
        """The moves from each cell, and where they lead."""
        return {
            cell: {f"move {way}": there for way, there in ways.items()}
            for cell, ways in steps((1, self.size), ()).items()
        }

    def board(self) -> tuple[Fact, ...]:
        """Return the lowest and the highest coordinate."""
        return tuple(board_facts((1, self.size), ()))

    def start(self) -> State:
        """Return the riders in their corners, in order of play around the square."""
        end = self.size
        return State((((1, 1),), ((end, 1),), ((end, end),), ((1, end),)))

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Return all who still ride, until at most one is left."""
        riding = tuple(role for role, crash in zip(self.roles, state.crashes, strict=True) if not crash)
        return riding if len(riding) > 1 else ()

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the steps to neighbouring cells without a trail; a rider has at least one."""
        taken = _taken(state.trails)
        rider = state.trails[self.roles.index(role)][-1]
        return tuple(move for move, there in self._next[rider].items() if there not in taken)

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Move all riders at once. Those who meet in a cell crash there; so does a rider without a way out."""
        trails = tuple(
            (*trail, self._next[trail[-1]][moves[role]]) if role in moves else trail
            for role, trail in zip(self.roles, state.trails, strict=True)
        )
        taken, riders_at, turn = _taken(trails), Counter(trail[-1] for trail in trails), state.turn + 1
        crashes = tuple(
            crash or (turn if riders_at[trail[-1]] > 1 or taken.issuperset(self._next[trail[-1]].values()) else 0)
            for crash, trail in zip(state.crashes, trails, strict=True)
        )
        return State(trails, crashes, turn)

    def outcome(self, state: State) -> Outcome | None:
        """Return each role's share of the others that it outlasted; others that crash in the same turn count half."""
        if state.crashes.count(0) > 1:
            return None
        lasted = [crash or state.turn + 1 for crash in state.crashes]
        scores = {}
        for role, own in zip(self.roles, lasted, strict=True):
            beaten = sum(2 if own > other else own == other for other in lasted) - 1  # without itself
            scores[role] = 100 * beaten // 6
        return Outcome(scores, "one rider left" if 0 in state.crashes else "all crashed")

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Return the riders, their trails behind them, and the turns in which riders crashed."""
        trails = dict(zip(self.roles, state.trails, strict=True))
        return (
            f"turns {state.turn}",
            *(f"at {name} {trail[-1][0]} {trail[-1][1]}" for name, trail in trails.items()),
            *(f"trail {name} {x} {y}" for name, trail in trails.items() for x, y in trail[:-1]),
            *(f"out {name} {crash}" for name, crash in zip(self.roles, state.crashes, strict=True) if crash),
        )


def _taken(trails: tuple[tuple[Cell, ...], ...]) -> set[Cell]:
    return {cell for trail in trails for cell in trail}


game = Surround
