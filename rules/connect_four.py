"""Connect Four: drop discs into columns; four in a line win. Boards: connect_four.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from arena.drawing import Grid, Mark
from arena.game import Fact, Game, Move, Outcome, Role, Symmetry


class State(NamedTuple):
    """The discs of each role, as a bit for each cell; red is to move when both have the same number."""

    red: int
    yellow: int


def _outcome(red: int, reason: str) -> Outcome:
    return Outcome(MappingProxyType({"red": red, "yellow": 100 - red}), reason)


MOST_CELLS_A_SIDE = 100
RED, YELLOW, FULL = _outcome(100, "line"), _outcome(0, "line"), _outcome(50, "full board")


@dataclass(frozen=True)
class ConnectFour(Game[State]):
    """The game on a board of any size."""

    columns: int = 7
    rows: int = 6
    line: int = 4
    """The number of discs in a line that win."""

    roles = ("red", "yellow")
    open = True
    drawing = (Grid("grid COLUMNS ROWS"), Mark("disc ROLE X Y", sign="ROLE", shape="disc", colour="ROLE"))
    symmetry = Symmetry(("x",), ("drop X",))
    manual = """
        `red` and `yellow` move in turn, and `red` begins. `grid <columns> <rows>`: the board has so many cells, with
        coordinates (<x>, <y>) from (1, 1), which is at the bottom.
        `drop <x>` fills the lowest empty cell of column <x>, as long as it has one.
        `disc <who> <x> <y>`: the cell (<x>, <y>) belongs to <who>.
        `line <n>`: who first has <n> cells side by side, up, across or diagonally, has 100 points, and the other 0.
        If every cell is filled before, both have 50 points.
    """

    def __post_init__(self) -> None:
        """Refuse a board that cannot be played."""
        for name in ("columns", "rows", "line"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= MOST_CELLS_A_SIDE:
                raise ValueError(f"{name}: expected a whole number from 1 to {MOST_CELLS_A_SIDE}, not {value}")
        if self.line > max(self.columns, self.rows):
            raise ValueError(f"line: {self.line} discs never stand in a line on {self.columns} x {self.rows} cells")

    def board(self) -> tuple[Fact, ...]:
        """Return the number of columns and rows, and of discs in a line that win."""
        return (f"grid {self.columns} {self.rows}", f"line {self.line}")

    def start(self) -> State:
        """Return the empty board."""
        return State(0, 0)

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Return red and yellow in turn."""
        if self.outcome(state) is not None:
            return ()
        return ("red",) if state.red.bit_count() == state.yellow.bit_count() else ("yellow",)

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return `drop X` for every column that is not full."""
        taken = state.red | state.yellow
        return tuple(f"drop {x}" for x in range(1, self.columns + 1) if not taken & self._bit(x, self.rows))

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Drop the disc on top of its column."""
        ((role, move),) = moves.items()
        bottom = self._bit(int(move.split()[1]), 1)
        taken = state.red | state.yellow
        disc = (taken + bottom) & ~taken  # the discs of a column are ones without a gap, so the carry is the free cell
        return State(state.red | disc, state.yellow) if role == "red" else State(state.red, state.yellow | disc)

    def outcome(self, state: State) -> Outcome | None:
        """Return a win by a line, or a draw on a full board."""
        if self._has_line(state.red):
            return RED
        if self._has_line(state.yellow):
            return YELLOW
        discs = (state.red | state.yellow).bit_count()
        return FULL if discs == self.columns * self.rows else None

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Return each disc with its column and row, `disc red 4 1`; row 1 is at the bottom."""
        discs = ((x, y, self._bit(x, y)) for x in range(1, self.columns + 1) for y in range(1, self.rows + 1))
        return tuple(
            f"disc {'red' if state.red & bit else 'yellow'} {x} {y}"
            for x, y, bit in discs
            if (state.red | state.yellow) & bit
        )

    def _bit(self, x: int, y: int) -> int:
        # A column has one bit more than rows. It is never set, so that no line runs from one column into the next.
        return 1 << (x - 1) * (self.rows + 1) + y - 1

    def _has_line(self, discs: int) -> bool:
        column = self.rows + 1
        for step in (1, column, column + 1, column - 1):  # up, right, and both diagonals
            ends = discs
            for _ in range(self.line - 1):
                ends &= ends >> step
            if ends:
                return True
        return False


game = ConnectFour
