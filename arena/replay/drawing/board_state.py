"""Facts as values to draw: the grids, which stay, and the state of the board, which changes with every turn.

It owns how facts are read by a game's declaration (arena/drawing.py), for the terminal and for the report; it draws
nothing. It keeps a fact that fits no declaration, or that makes no sense on these grids, as it is for the legend.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from string import ascii_uppercase, digits
from typing import Any, NamedTuple

from arena import drawing as declared
from arena.drawing import MAZE, Cards, Drawing, Mark, Piece
from arena.game import Fact, Game, Role
from arena.protocol import clean

Cell = tuple[int, int]
MOST_CELLS = 10_000
"""A grid of more cells is not drawn, because its size may come from a stranger's record."""
MOST_GRIDS = 10
WIDTH = 80
"""Columns of the narrowest terminal that a drawing is made for."""
ROLES = ("1;7;32", "1;7;31", "1;7;34", "1;7;35", "1;7;36")
"""SGR codes of the roles, in order of play: turned, so that they stand out on light and on dark."""
COLOURS = {"red": "31", "orange": "33", "yellow": "33", "green": "32", "blue": "34", "purple": "35"}
"""SGR codes of the colours that a declaration may name."""


class DrawnFact(NamedTuple):
    """A fact that a declaration draws."""

    item: Piece | Mark | Cards
    grid: int
    """The index of its grid; cards have none, and 0."""
    cell: Cell
    name: str
    """Its words without cell and grid, without the first where there are more; of cards, their label."""
    values: Mapping[str, str]
    """The words for which the capitals of the pattern stand."""

    @property
    def colour(self) -> str:
        """The colour that the declaration names, for ROLE that which the role is called after; else empty."""
        colour = "" if isinstance(self.item, Cards) else self.item.colour
        return self.values.get("ROLE", self.name) if colour == "ROLE" else colour

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards of a row of them."""
        return tuple(self.values.get("CARDS", self.values.get("CARD", "")).split())


@dataclass(frozen=True)
class BoardGrid:
    """The part of a board that never changes: a rectangle of cells, and walls between them."""

    columns: range
    rows: range
    name: str = ""
    """As facts call it by the word GRID; empty where the game has one grid."""
    walls: frozenset[frozenset[Cell]] = frozenset()
    """The two cells beside each wall."""
    space: int = WIDTH
    """Columns of a terminal that it may take, beside others."""

    @cached_property
    def margin(self) -> int:
        """Columns of text to the left of the grid, for the longest `y` with a blank on each side."""
        return max(len(str(self.rows[0])), len(str(self.rows[-1]))) + 2

    @cached_property
    def cell_width(self) -> int:
        """Columns of text of a cell: three, or one where the terminal would be too narrow."""
        return 3 if self.margin + 4 * len(self.columns) + 1 <= self.space else 1

    @property
    def width(self) -> int:
        """Columns of text of the whole grid."""
        return self.margin + (self.cell_width + 1) * (self.columns[-1] - self.columns[0] + 1) + 1

    def on_board(self, cell: Cell) -> bool:
        """Return True when the grid has this cell."""
        return cell[0] in self.columns and cell[1] in self.rows

    def leads(self, here: Cell, there: Cell) -> bool:
        """Return True when nothing stops a step between two neighbours."""
        return self.on_board(there) and frozenset({here, there}) not in self.walls

    def reached(self, starts: Iterable[Cell]) -> frozenset[Cell]:
        """Return the cells that steps lead to from these; every cell when there are none."""
        reached = set(starts) or set(product(self.columns, self.rows))
        frontier = list(reached)
        while frontier:
            here = x, y = frontier.pop()
            for cell in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
                if cell not in reached and self.leads(here, cell):
                    reached.add(cell)
                    frontier.append(cell)
        return frozenset(reached)


@dataclass(frozen=True)
class BoardState:
    """The part of a board that changes with every turn, as a terminal shows it."""

    roles: Mapping[Role, Cell]
    """The cell of each piece, by its name, which is usually its role's."""
    letters: Mapping[Role, str]
    symbols: Mapping[tuple[int, Cell], tuple[str, ...]] = field(default_factory=dict)
    """The signs in each cell of each grid, the foremost first."""
    styles: dict[str, str] = field(default_factory=dict)
    """The SGR code of each sign that has one."""
    meanings: tuple[tuple[str, str], ...] = ()
    """The signs of marks, each with its meaning in words."""
    cards: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The label and the cards of each row of cards."""
    in_play: tuple[frozenset[Cell], ...] = ()
    """Of each grid the cells that a piece can reach."""
    other_facts: tuple[Fact, ...] = ()
    """The facts that no declaration fits."""


def read_grids(board: Iterable[Fact], drawing: Drawing = MAZE) -> tuple[BoardGrid, ...]:
    """Return the grids that the facts of the board describe; none of more than MOST_CELLS cells."""
    sizes: dict[str, tuple[range, range]] = {}
    walls: dict[str, set[frozenset[Cell]]] = defaultdict(set)
    for fact in board:
        item, values = _declaration(drawing, fact)
        if isinstance(item, declared.Grid):
            name, cell, way = values.get("GRID", ""), pair(values), values.get("WAY")
            if size := _size(values):
                sizes.setdefault(name, size)
            elif cell and way in {"north", "east"}:
                walls[name].add(frozenset({cell, (cell[0] + (way == "east"), cell[1] + (way == "north"))}))
    space = WIDTH // max(1, len(sizes))
    return tuple(BoardGrid(*size, name, frozenset(walls[name]), space) for name, size in sizes.items())[:MOST_GRIDS]


def board_marks(
    grids: Sequence[BoardGrid], board: Iterable[Fact], drawing: Drawing
) -> tuple[tuple[Fact, DrawnFact], ...]:
    """Return the marks of the board, such as exits, each with its fact."""
    drawn = ((fact, read_fact(grids, drawing, fact)) for fact in board)
    return tuple((fact, each) for fact, each in drawn if each is not None and isinstance(each.item, Mark))


def read_fact(grids: Sequence[BoardGrid], drawing: Drawing, fact: Fact) -> DrawnFact | None:
    """Return what the first declaration that fits a fact draws of it; None when none does, or not on these grids."""
    item, values = _declaration(drawing, fact)
    if isinstance(item, Cards):
        words = fact.split()
        count = len(values.get("CARDS", values.get("CARD", "")).split())
        return DrawnFact(item, 0, (0, 0), " ".join(words[: len(words) - count]), values)
    cell, names = pair(values), [grid.name for grid in grids]
    name = values.get("GRID", names[0] if names else "")
    if (
        item is None
        or isinstance(item, declared.Grid)
        or cell is None
        or name not in names
        or not grids[names.index(name)].on_board(cell)
    ):
        return None
    return DrawnFact(item, names.index(name), cell, _name(item.fact, fact), values)


def read_state(grids: Sequence[BoardGrid], game: Game[Any], facts: Iterable[Fact]) -> BoardState:
    """Return the state of the board from the facts of a state."""
    drawing, roles = game.drawing, game.roles
    fixed = board_marks(grids, game.board(), drawing)
    read = [(fact, read_fact(grids, drawing, fact)) for fact in facts]
    drawn = [each for _, each in read if each is not None]
    pieces = {each.name: each for each in drawn if isinstance(each.item, Piece)}
    marks = [each for each in drawn if isinstance(each.item, Mark)]
    every = [*(each for _, each in fixed), *marks]
    owners = [each.values["ROLE"] for each in every if "ROLE" in each.values]
    letters = role_letters((*roles, *pieces, *owners))
    styles = {letter: ROLES[number % len(ROLES)] for number, letter in enumerate(letters.values())}
    symbols: dict[tuple[int, Cell], tuple[str, ...]] = defaultdict(tuple)
    for each in (*pieces.values(), *every):
        sign, style = _look(each, letters)
        symbols[each.grid, each.cell] += tuple(sign)
        styles |= {sign: style} if style else {}
    meanings = [(_look(each, letters)[0], fact) for fact, each in fixed]
    meanings += _meanings(drawing, marks, dict.fromkeys((*roles, *owners)), letters)
    return BoardState(
        {name: piece.cell for name, piece in pieces.items()},
        letters,
        symbols,
        styles,
        tuple(meanings),
        tuple((each.name, each.cards) for each in drawn if isinstance(each.item, Cards)),
        tuple(
            grid.reached(piece.cell for piece in pieces.values() if piece.grid == number)
            for number, grid in enumerate(grids)
        ),
        tuple(fact for fact, each in read if each is None),
    )


def pair(values: Mapping[str, str], first: str = "X", second: str = "Y") -> Cell | None:
    """Return two of a fact's variables that are whole numbers, such as its cell; None where there are none."""
    try:
        return int(values[first]), int(values[second])
    except (KeyError, ValueError):
        return None


@lru_cache(10_000)  # the same few facts come again and again
def variables(pattern: str, fact: Fact) -> Mapping[str, str] | None:
    """Return the words of a fact for which the capitals of a pattern stand; None when the pattern does not fit."""
    expected, words = pattern.split(), fact.split()
    if expected and expected[-1] == "CARDS":  # all that is left
        words = [*words[: len(expected) - 1], " ".join(words[len(expected) - 1 :])]
    if len(words) != len(expected):
        return None
    if any(word != want and not want.isupper() for want, word in zip(expected, words, strict=True)):
        return None
    return {want: word for want, word in zip(expected, words, strict=True) if want.isupper()}


@lru_cache(10_000)
def _declaration(drawing: Drawing, fact: Fact) -> tuple[declared.Grid | Piece | Mark | Cards | None, Mapping[str, str]]:
    """Return the first declaration that fits a fact, with the fact's variables."""
    for item in drawing:
        for pattern in (item.size, item.walls) if isinstance(item, declared.Grid) else (item.fact,):
            if (values := variables(pattern, fact)) is not None:
                return item, values
    return None, {}


def _size(values: Mapping[str, str]) -> tuple[range, range] | None:
    """Return the columns and the rows that a fact gives; None when it gives none."""
    if span := pair(values, "LOW", "HIGH"):
        columns = rows = range(span[0], span[1] + 1)
    elif counts := pair(values, "COLUMNS", "ROWS"):
        columns, rows = range(1, counts[0] + 1), range(1, counts[1] + 1)
    else:
        return None
    count = (columns.stop - columns.start) * (rows.stop - rows.start)  # `len` has a limit
    return (columns, rows) if columns and rows and count <= MOST_CELLS else None


def _name(pattern: str, fact: Fact) -> str:
    """Return the words of a fact that are not its cell or grid, without the first where there are more."""
    words = [word for want, word in zip(pattern.split(), fact.split(), strict=True) if want not in {"X", "Y", "GRID"}]
    return " ".join(words[1:] or words)


def _look(drawn: DrawnFact, letters: Mapping[Role, str]) -> tuple[str, str]:
    """Return the sign of a piece or a mark, and its SGR code; empty where its letter has the right one."""
    role, sign, colour = drawn.values.get("ROLE"), getattr(drawn.item, "sign", ""), COLOURS.get(drawn.colour, "")
    if isinstance(drawn.item, Piece):
        return letters[drawn.name], f"1;7;{colour}" if colour else ""
    if role is not None and sign in {"ROLE", "role"}:
        number = list(letters).index(role) % len(ROLES)
        code = f"1;7;{colour}" if colour else ROLES[number]
        return (letters[role], code) if sign == "ROLE" else (letters[role].lower(), code.removeprefix("1;7;"))
    return clean(drawn.values.get("TEXT", "")) if sign == "TEXT" else sign, f"1;{colour}" if colour else ""


def _meanings(
    drawing: Drawing, marks: Sequence[DrawnFact], owners: Iterable[Role], letters: Mapping[Role, str]
) -> Iterable[tuple[str, str]]:
    """Yield the signs of the marks of a state: those of the roles, and the number of others."""
    for item in drawing:
        if not isinstance(item, Mark) or item.sign == "TEXT":  # a text says what it means
            continue
        if "ROLE" in item.fact.split():
            for role in owners:
                fact = " ".join(role if word == "ROLE" else word for word in item.fact.split())
                yield (
                    _look(DrawnFact(item, 0, (0, 0), "", {"ROLE": role}), letters)[0],
                    _name(f"- {item.fact}", f"- {fact}"),
                )
        elif count := sum(mark.item is item for mark in marks):
            noun = _name(item.fact, item.fact)
            yield item.sign, f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def role_letters(roles: Iterable[Role]) -> dict[Role, str]:
    """Return a sign for each role: the first free letter of its name, else any free letter or digit."""
    signs = ascii_uppercase + digits
    letters: dict[Role, str] = {}
    for role in dict.fromkeys(roles):
        candidates = (sign for sign in role.upper() + signs if sign in signs)
        letters[role] = next((sign for sign in candidates if sign not in letters.values()), "?")
    return letters
