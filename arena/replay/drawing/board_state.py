"""Facts as values to draw: the grid, which stays, and the state of the board, which changes with every turn.

It owns how facts are read; it draws nothing. It keeps a fact that it does not know, or that makes no sense on this
grid, as it is for the legend.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase, digits

from arena.game import Fact, Role

Cell = tuple[int, int]
EXIT, PELLET = "⌂", "·"
WIDTH = 80
"""Columns of the narrowest terminal that a drawing is made for."""


@dataclass(frozen=True)
class Grid:
    """The part of a board that never changes: a square of cells, and walls between them."""

    low: int
    high: int
    walls: frozenset[frozenset[Cell]] = frozenset()
    """The two cells beside each wall."""
    exits: tuple[Cell, ...] = ()

    @property
    def span(self) -> range:
        """The coordinates of either axis."""
        return range(self.low, self.high + 1)

    @property
    def margin(self) -> int:
        """Columns to the left of the grid, for the longest coordinate with a blank on each side."""
        return max(len(str(self.low)), len(str(self.high))) + 2

    @property
    def room(self) -> int:
        """Columns of a cell: three, or one where the terminal would be too narrow."""
        return 3 if self.margin + 4 * len(self.span) + 1 <= WIDTH else 1

    @property
    def fits(self) -> bool:
        """True when the narrowest terminal has room for the grid."""
        return self.margin + 2 * (self.high - self.low + 1) + 1 <= WIDTH

    def on_board(self, cell: Cell) -> bool:
        """Return True when the grid has this cell."""
        return cell[0] in self.span and cell[1] in self.span

    def leads(self, here: Cell, there: Cell) -> bool:
        """Return True when nothing stops a step between two neighbours."""
        return self.on_board(there) and frozenset({here, there}) not in self.walls


@dataclass(frozen=True)
class BoardState:
    """The part of a board that changes with every turn."""

    roles: Mapping[Role, Cell]
    letters: Mapping[Role, str]
    pellets: frozenset[Cell]
    symbols: Mapping[Cell, tuple[str, ...]]
    """The signs in each cell, the foremost first."""
    in_play: frozenset[Cell]
    other_facts: tuple[Fact, ...]


def read_grid(board: Iterable[Fact]) -> Grid | None:
    """Read the grid from the facts; None when they describe none."""
    sizes: list[Cell] = []
    exits: list[Cell] = []
    walls: set[frozenset[Cell]] = set()
    for fact in board:
        match fact.split():
            case ["size", *words] if size := numbers(words):
                sizes.append(size)
            case ["exit", *words] if cell := numbers(words):
                exits.append(cell)
            case ["wall", *words, ("north" | "east") as way] if cell := numbers(words):
                x, y = cell
                walls.add(frozenset({cell, (x, y + 1) if way == "north" else (x + 1, y)}))
    if not sizes or sizes[0][0] > sizes[0][1]:
        return None
    return Grid(*sizes[0], frozenset(walls), tuple(exits))


def read_state(grid: Grid, state: Iterable[Fact]) -> BoardState:
    """Read the state of the board from the facts of a state."""
    roles: dict[Role, Cell] = {}
    pellets: set[Cell] = set()
    other_facts: list[Fact] = []
    for fact in state:
        match fact.split():
            case ["at", role, *words] if (cell := numbers(words)) and grid.on_board(cell):
                roles[role] = cell
            case ["pellet", *words] if (cell := numbers(words)) and grid.on_board(cell):
                pellets.add(cell)
            case _:
                other_facts.append(fact)
    signs = ascii_uppercase + digits
    letters: dict[Role, str] = {}
    for role in roles:  # its sign is the first free letter of its name, else any free letter or digit
        candidates = (sign for sign in role.upper() + signs if sign in signs)
        letters[role] = next((sign for sign in candidates if sign not in letters.values()), "?")
    symbols: dict[Cell, tuple[str, ...]] = {}
    standing = [(cell, letters[role]) for role, cell in roles.items()]
    for cell, symbol in (*standing, *((cell, EXIT) for cell in grid.exits), *((cell, PELLET) for cell in pellets)):
        symbols[cell] = (*symbols.get(cell, ()), symbol)
    return BoardState(roles, letters, frozenset(pellets), symbols, _in_play(grid, roles.values()), tuple(other_facts))


def numbers(texts: list[str]) -> Cell | None:
    """Read two whole numbers; None when the texts are anything else."""
    try:
        x, y = map(int, texts)
    except ValueError:
        return None
    return x, y


def _in_play(grid: Grid, starts: Iterable[Cell]) -> frozenset[Cell]:
    """Return the cells that steps lead to from the roles' cells; every cell when no role stands anywhere."""
    reached = set(starts) or {(x, y) for x in grid.span for y in grid.span}
    frontier = list(reached)
    while frontier:
        here = x, y = frontier.pop()
        for cell in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
            if cell not in reached and grid.leads(here, cell):
                reached.add(cell)
                frontier.append(cell)
    return frozenset(reached)
