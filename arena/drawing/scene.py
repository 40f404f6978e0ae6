"""Facts -> what there is to draw: the grid that stays, and the scene that changes with every turn.

It owns how facts are read; it draws nothing. A fact that it does not know, or that makes no sense on this grid, is kept
as it is for the legend.
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
    """What never changes: a square of cells, and walls between them."""

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
        """Whether it can be drawn on the narrowest terminal."""
        return self.margin + 2 * (self.high - self.low + 1) + 1 <= WIDTH

    def on_board(self, cell: Cell) -> bool:
        """Whether the grid has this cell."""
        return cell[0] in self.span and cell[1] in self.span

    def leads(self, here: Cell, there: Cell) -> bool:
        """Whether a step between two neighbours is stopped by nothing."""
        return self.on_board(there) and frozenset({here, there}) not in self.walls


@dataclass(frozen=True)
class Scene:
    """What a turn changes."""

    roles: Mapping[Role, Cell]
    letters: Mapping[Role, str]
    pellets: frozenset[Cell]
    symbols: Mapping[Cell, tuple[str, ...]]
    """What stands in a cell, the foremost first."""
    in_play: frozenset[Cell]
    others: tuple[Fact, ...]


def read_grid(board: Iterable[Fact]) -> Grid | None:
    """The grid that the facts tell of; None when they tell of none."""
    facts = [fact.split() for fact in board]
    sizes = [size for word, *rest in filter(None, facts) if word == "size" and (size := numbers(rest))]
    if not sizes or sizes[0][0] > sizes[0][1]:
        return None
    walls = frozenset(filter(None, (_sides(fact) for fact in facts)))
    exits = tuple(cell for word, *rest in filter(None, facts) if word == "exit" and (cell := numbers(rest)))
    return Grid(*sizes[0], walls, exits)


def read_scene(grid: Grid, state: Iterable[Fact]) -> Scene:
    """The scene that the facts of a state tell of."""
    roles: dict[Role, Cell] = {}
    pellets: set[Cell] = set()
    others: list[Fact] = []
    for fact in state:
        match fact.split():
            case ["at", role, *place] if (cell := numbers(place)) and grid.on_board(cell):
                roles[role] = cell
            case ["pellet", *place] if (cell := numbers(place)) and grid.on_board(cell):
                pellets.add(cell)
            case _:
                others.append(fact)
    letters = _letters(roles)
    symbols: dict[Cell, tuple[str, ...]] = {}
    standing = [(cell, letters[role]) for role, cell in roles.items()]
    for cell, symbol in (*standing, *((cell, EXIT) for cell in grid.exits), *((cell, PELLET) for cell in pellets)):
        symbols[cell] = (*symbols.get(cell, ()), symbol)
    return Scene(roles, letters, frozenset(pellets), symbols, _in_play(grid, roles.values()), tuple(others))


def numbers(words: list[str]) -> Cell | None:
    """Two whole numbers; None when the words are anything else."""
    try:
        x, y = map(int, words)
    except ValueError:
        return None
    return x, y


def _sides(fact: list[str]) -> frozenset[Cell] | None:
    """The two cells beside a wall; None when the fact is no wall."""
    match fact:
        case ["wall", *place, ("north" | "east") as way] if cell := numbers(place):
            x, y = cell
            return frozenset({cell, (x, y + 1) if way == "north" else (x + 1, y)})
    return None


def _letters(roles: Iterable[Role]) -> dict[Role, str]:
    """A sign for each role: the first letter of its name that no role before it has, else any letter or digit."""
    signs = ascii_uppercase + digits
    given: dict[Role, str] = {}
    for role in roles:
        wanted = (sign for sign in role.upper() + signs if sign in signs)
        given[role] = next((sign for sign in wanted if sign not in given.values()), "?")
    return given


def _in_play(grid: Grid, starts: Iterable[Cell]) -> frozenset[Cell]:
    """The cells that steps lead to from where anybody stands; every cell when nobody stands anywhere."""
    seen = set(starts) or {(x, y) for x in grid.span for y in grid.span}
    frontier = list(seen)
    while frontier:
        here = x, y = frontier.pop()
        for cell in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
            if cell not in seen and grid.leads(here, cell):
                seen.add(cell)
                frontier.append(cell)
    return frozenset(seen)
