"""Mummy Maze: the explorer runs for the exit, the mummy takes two steps to its one. Boards: mummy_maze.toml."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from arena.drawing import MAZE, Piece
from arena.game import Fact, Game, Move, Outcome, Role, Symmetry, Value

from .grid import STEPS, Cell, Wall, board_facts, check_size, on_board, steps

WAYS = (*STEPS, "nowhere")
MOST_CELLS_SOLVED = 400  # 20 x 20: 160,000 placements of 25 moves, which take 180 MB and a second or two
MOST_STATES_SOLVED = 20_000_000  # placements at each counter, of 4 bytes each
ONE = {f"move1 {way}": way for way in WAYS}
TWO = {f"move2 {first} {second}": (first, second) for first, second in product(WAYS, WAYS)}


class State(NamedTuple):
    """Where both stand, and the counter: even = the explorer's turn."""

    explorer: Cell
    mummy: Cell
    step: int


def _outcome(explorer: int, reason: str) -> Outcome:
    return Outcome(MappingProxyType({"explorer": explorer, "mummy": 100 - explorer}), reason)


EATEN, ESCAPED, LIMIT = _outcome(0, "eaten"), _outcome(100, "escaped"), _outcome(50, "step limit")


@dataclass(frozen=True)
class MummyMaze(Game[State]):
    """The game on one maze."""

    size: tuple[int, int]
    """Lowest and highest coordinate."""
    explorer: Cell
    mummy: Cell
    exit: Cell
    walls: tuple[Wall, ...]
    enclosing: tuple[Wall, ...] = ()
    """Walls that stand inside the range of coordinates and enclose the cells in play."""
    steps: int = 50
    moves: str = "free"
    """`free`: the mummy goes where it likes; `toward`: each half-step must lessen |dx| or |dy|."""
    eaten: str = "anytime"
    """`anytime`: also when the mummy comes upon the explorer half-way; `end`: only where its move ends."""

    roles = ("explorer", "mummy")
    open = True
    drawing = (Piece("at explorer X Y", "explorer"), Piece("at mummy X Y", "mummy"), *MAZE)
    symmetry = Symmetry(("x", "y", "diagonal"))
    manual = """
        `explorer` and `mummy` stand on the cells (<x>, <y>) of a square and move in turn. `explorer` begins.
        `size <low> <high>`: both coordinates are <low> to <high>. `at <who> <x> <y>`: where somebody stands.
        `wall <x> <y> north`: a barrier between (<x>, <y>) and (<x>, <y> + 1).
        `wall <x> <y> east`: a barrier between (<x>, <y>) and (<x> + 1, <y>).
        A direction is `north` (<y> + 1), `south` (<y> - 1), `east` (<x> + 1), `west` (<x> - 1) or `nowhere`.
        `explorer` moves with `move1` and one direction, `mummy` with `move2` and two, one after the other.
        A direction into a barrier or off the square is legal, and whoever takes it stays in the cell.
        `mummy free`: it takes any two directions. `mummy toward`: each of them must lead nearer to `explorer` along one
        coordinate, barrier or not; only on the cell of `explorer` it is `nowhere`.
        `exit <x> <y>`: a cell. If `explorer` stands there, and `mummy` does not, `explorer` has 100 points, `mummy` 0.
        If both stand on one cell, `mummy` has 100 points and `explorer` 0. `eaten anytime`: also between the two
        directions of `move2`, and then the second is not made. `eaten end`: only after both.
        `step <n>` moves were made. After `steps <n>` the match is over, and both have 50 points.
    """

    def __post_init__(self) -> None:
        """Refuse a board that cannot be played."""
        check_size(self.size)
        if not isinstance(self.steps, int):
            raise ValueError(f"steps: expected a whole number, not {self.steps!r}")  # noqa: TRY004  as for every mistake
        for name in ("explorer", "mummy", "exit"):
            if not on_board(self.size, getattr(self, name)):
                raise ValueError(f"{name}: {getattr(self, name)} is not on the board")
        if self.moves not in {"free", "toward"}:
            raise ValueError(f"moves: expected 'free' or 'toward', not {self.moves!r}")
        if self.eaten not in {"anytime", "end"}:
            raise ValueError(f"eaten: expected 'anytime' or 'end', not {self.eaten!r}")
        if ended := self.outcome(self.start()):
            raise ValueError(f"the match is over before its first turn: {ended.reason}")
        _ = self._next  # looks at the walls

    @cached_property
    def _next(self) -> dict[Cell, dict[str, Cell]]:
        """Where each direction leads from each cell: a blocked step and `nowhere` lead back to it."""
        ways = steps(self.size, self.walls + self.enclosing)
        return {cell: {way: ways[cell].get(way, cell) for way in WAYS} for cell in ways}

    @cached_property
    def _toward(self) -> dict[tuple[Cell, Cell], tuple[Move, ...]]:
        """The legal moves of a `toward` mummy, filled as positions come up."""
        return {}

    @cached_property
    def _landings(self) -> dict[tuple[Cell, Move], tuple[Cell, Cell]]:
        """The cells of both halves of each mummy move from each cell."""
        return {
            (cell, move): (ways[first], self._next[ways[first]][second])
            for cell, ways in self._next.items()
            for move, (first, second) in TWO.items()
        }

    def board(self) -> tuple[Fact, ...]:
        """Size, exit, walls, and how this board is played."""
        return (
            *board_facts(self.size, self.walls + self.enclosing),
            f"exit {self.exit[0]} {self.exit[1]}",
            f"steps {self.steps}",
            f"mummy {self.moves}",
            f"eaten {self.eaten}",
        )

    def start(self) -> State:
        """Both at their places, the explorer to move."""
        return State(self.explorer, self.mummy, 0)

    def to_move(self, state: State) -> tuple[Role, ...]:
        """They alternate; the explorer moves first."""
        if self.outcome(state) is not None:
            return ()
        return ("mummy",) if state.step % 2 else ("explorer",)

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Always all directions, walls or not; a `toward` mummy has only those that bring it nearer."""
        if role == "explorer":
            return _ALL_ONE
        if self.moves == "free":
            return _ALL_TWO
        place = (state.mummy, state.explorer)
        found = self._toward.get(place)
        if found is None:
            found = self._toward[place] = tuple(self._nearing(*place))
        return found

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """One turn of whoever is to move; a step into a wall does nothing."""
        explorer, mummy, step = state
        if step % 2 == 0:
            return State(self._next[explorer][ONE[moves["explorer"]]], mummy, step + 1)
        half, end = self._landings[mummy, moves["mummy"]]
        caught = half == explorer and self.eaten == "anytime"
        return State(explorer, half if caught else end, step + 1)

    def outcome(self, state: State) -> Outcome | None:
        """Eaten comes first: eaten on the exit is eaten."""
        explorer, mummy, step = state
        if explorer == mummy:
            return EATEN
        if explorer == self.exit:
            return ESCAPED
        return LIMIT if step >= self.steps else None

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Everything: there are no secrets."""
        (ex, ey), (mx, my), step = state
        return (f"step {step}", f"at explorer {ex} {ey}", f"at mummy {mx} {my}")

    def solve(self) -> Callable[[State], Value] | None:
        """Return the value of every state, by backward induction over all placements of the two.

        None for a maze of more cells than MOST_CELLS_SOLVED, or of more states than MOST_STATES_SOLVED.
        """
        import numpy as np  # takes longer to import than a bot may need for its start, and no bot asks for it

        from arena.games.solver import SCORE, Phase, Solution, induce

        cells = tuple(self._next)
        if len(cells) > MOST_CELLS_SOLVED or len(cells) ** 2 * (self.steps + 1) > MOST_STATES_SOLVED:
            return None
        if self.steps >= SCORE:  # values count turns below it
            return None
        number = {cell: index for index, cell in enumerate(cells)}
        count = len(cells)
        ways = np.array([[number[self._next[cell][way]] for way in WAYS] for cell in cells], dtype=np.int32)
        explorer, mummy = (grid.ravel() for grid in np.indices((count, count)))  # position = explorer * count + mummy
        first, second = (grid.ravel() for grid in np.indices((len(WAYS), len(WAYS))))

        half = ways[mummy][:, first]
        end = ways[half, second]
        if self.eaten == "anytime":
            end = np.where(half == explorer[:, None], half, end)
        if self.moves == "toward":
            x, y = np.array(cells).T
            nearer = np.empty((count, count, len(WAYS)), dtype=np.bool_)  # mummy, explorer, way
            for index, (dx, dy) in enumerate(STEPS.values()):
                nearer[:, :, index] = (dx * (x[None] - x[:, None]) > 0) | (dy * (y[None] - y[:, None]) > 0)
            nearer[:, :, -1] = np.eye(count, dtype=np.bool_)
            legal = nearer[mummy, explorer][:, first] & nearer[half, explorer[:, None], second]
            end = np.where(legal, end, np.take_along_axis(end, legal.argmax(axis=1)[:, None], axis=1))

        over = np.full(count * count, -1, dtype=np.int32)
        over[explorer == number[self.exit]] = ESCAPED.scores["explorer"]
        over[explorer == mummy] = EATEN.scores["explorer"]
        phases = (
            Phase(maximises=True, successors=ways[explorer] * count + mummy[:, None]),
            Phase(maximises=False, successors=explorer[:, None] * count + end),
        )
        worth = induce(phases, over, self.steps, LIMIT.scores["explorer"])
        return Solution(
            worth=worth, index=lambda state: (state.step, number[state.explorer] * count + number[state.mummy])
        )

    def _nearing(self, mummy: Cell, explorer: Cell) -> list[Move]:
        return [
            f"move2 {first} {second}"
            for first in _ways_nearer(mummy, explorer)
            for second in _ways_nearer(self._next[mummy][first], explorer)
        ]


_ALL_ONE, _ALL_TWO = tuple(ONE), tuple(TWO)


def _ways_nearer(mummy: Cell, explorer: Cell) -> list[str]:
    """The directions that lessen |dx| or |dy|, walls or not; `nowhere` only when it stands on the explorer."""
    dx, dy = explorer[0] - mummy[0], explorer[1] - mummy[1]
    ways = [way for way, (sx, sy) in STEPS.items() if sx * dx > 0 or sy * dy > 0]
    return ways or ["nowhere"]


game = MummyMaze
