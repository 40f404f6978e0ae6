"""Facts as values to draw: the grid, which stays, and the state of the board, which changes with every turn.

It owns how facts are read by a game's declaration (arena/drawing.py); it draws nothing. It keeps a fact that fits no
declaration, or that makes no sense on this grid, as it is for the legend. `facts.js` reads the same for the report.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from string import ascii_uppercase, digits

from arena import drawing as declared
from arena.drawing import MAZE, Cards, Drawing, Mark, Piece
from arena.game import Fact, Role

Cell = tuple[int, int]
MOST_CELLS = 10_000
"""A grid of more cells is not drawn, because its size may come from a stranger's record."""
WIDTH = 80
"""Columns of the narrowest terminal that a drawing is made for."""
ROLES = ("1;7;32", "1;7;31", "1;7;34", "1;7;35", "1;7;36")
"""SGR codes of the roles, in order of play: turned, so that they stand out on light and on dark."""
COLOURS = {"red": "31", "orange": "33", "yellow": "33", "green": "32", "blue": "34", "purple": "35"}
"""SGR codes of the colours that a declaration may name."""


@dataclass(frozen=True)
class BoardGrid:
    """The part of a board that never changes: a rectangle of cells, and walls between them."""

    columns: range
    rows: range
    walls: frozenset[frozenset[Cell]] = frozenset()
    """The two cells beside each wall."""
    marks: tuple[tuple[Cell, Fact, Mark], ...] = ()
    """The marks of the board, such as exits, each with its cell and its fact."""

    @cached_property
    def margin(self) -> int:
        """Columns of text to the left of the grid, for the longest `y` with a blank on each side."""
        return max(len(str(self.rows[0])), len(str(self.rows[-1]))) + 2

    @cached_property
    def cell_width(self) -> int:
        """Columns of text of a cell: three, or one where the terminal would be too narrow."""
        return 3 if self.margin + 4 * len(self.columns) + 1 <= WIDTH else 1

    @property
    def fits(self) -> bool:
        """True when the narrowest terminal has room for the grid."""
        return self.margin + 2 * (self.columns[-1] - self.columns[0] + 1) + 1 <= WIDTH

    def on_board(self, cell: Cell) -> bool:
        """Return True when the grid has this cell."""
        return cell[0] in self.columns and cell[1] in self.rows

    def leads(self, here: Cell, there: Cell) -> bool:
        """Return True when nothing stops a step between two neighbours."""
        return self.on_board(there) and frozenset({here, there}) not in self.walls


@dataclass(frozen=True)
class BoardState:
    """The part of a board that changes with every turn."""

    roles: Mapping[Role, Cell]
    """The cell of each piece, by its name, which is usually its role's."""
    letters: Mapping[Role, str]
    symbols: Mapping[Cell, tuple[str, ...]] = field(default_factory=dict)
    """The signs in each cell, the foremost first."""
    styles: Mapping[str, str] = field(default_factory=dict)
    """The SGR code of each sign that has one."""
    meanings: tuple[tuple[str, str], ...] = ()
    """The signs of marks, each with its meaning in words."""
    marks: frozenset[tuple[Cell, Fact]] = frozenset()
    """The marks of the state, each with its cell and its fact."""
    cards: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The label and the cards of each row of cards."""
    in_play: frozenset[Cell] = frozenset()
    other_facts: tuple[Fact, ...] = ()
    """The facts that no declaration fits."""


def read_grid(board: Iterable[Fact], drawing: Drawing = MAZE) -> BoardGrid | None:
    """Read the grid from the facts of the board; None when they describe none, or the game declares none.

    None, too, for a grid of more than MOST_CELLS cells.
    """
    grid = next((item for item in drawing if isinstance(item, declared.Grid)), None)
    facts = tuple(board)
    if grid is None or (size := next(filter(None, (_size(grid.size, fact) for fact in facts)), None)) is None:
        return None
    columns, rows = size
    walls = frozenset(filter(None, (_sides(grid.walls, fact) for fact in facts)))
    marks = [
        (cell, fact, item)
        for fact in facts
        if not _size(grid.size, fact) and not _sides(grid.walls, fact)
        for item, values in [_declaration(drawing, fact)]
        if isinstance(item, Mark) and (cell := cell_of(values))
    ]
    return BoardGrid(columns, rows, walls, tuple(marks))


def read_state(
    grid: BoardGrid | None, state: Iterable[Fact], drawing: Drawing = MAZE, roles: Sequence[Role] = ()
) -> BoardState:
    """Read the state of the board from the facts of a state; `roles` are the game's, in order of play."""
    pieces: dict[Role, Cell] = {}
    marks: list[tuple[Cell, Fact, Mark]] = []
    cards: list[tuple[str, tuple[str, ...]]] = []
    other_facts: list[Fact] = []
    colours: dict[Role, str] = {}
    for fact in state:
        item, values = _declaration(drawing, fact)
        cell = cell_of(values)
        on_board = cell is not None and grid is not None and grid.on_board(cell)
        if isinstance(item, Piece) and cell and on_board:
            name = _name(item.fact, fact)
            pieces[name], colours[name] = cell, name if item.colour == "ROLE" else item.colour
        elif isinstance(item, Mark) and cell and on_board:
            marks.append((cell, fact, item))
        elif isinstance(item, Cards):
            row = fact.split()
            count = len(values.get("CARDS", values.get("CARD", "")).split())
            cards.append((" ".join(row[: len(row) - count]), tuple(row[len(row) - count :])))
        else:
            other_facts.append(fact)
    board_marks = grid.marks if grid else ()
    owners = [role for _, fact, item in (*board_marks, *marks) if (role := _role(item, fact))]
    letters = _letters(dict.fromkeys((*roles, *pieces, *owners)))
    styles = {letter: ROLES[number % len(ROLES)] for number, letter in enumerate(letters.values())}
    styles |= {letters[name]: f"1;7;{COLOURS[colour]}" for name, colour in colours.items() if colour in COLOURS}
    symbols: dict[Cell, tuple[str, ...]] = {}
    for name, cell in pieces.items():
        symbols[cell] = (*symbols.get(cell, ()), letters[name])
    for cell, fact, item in (*board_marks, *marks):
        sign, style = _look(item, fact, letters)
        symbols[cell] = (*symbols.get(cell, ()), sign)
        if style:
            styles[sign] = style
    meanings = [(_look(item, fact, letters)[0], fact) for _, fact, item in board_marks]
    meanings += _meanings(drawing, marks, dict.fromkeys((*roles, *owners)), letters)
    in_play = frozenset[Cell]() if grid is None else _in_play(grid, pieces.values())
    placed = frozenset((cell, fact) for cell, fact, _ in marks)
    return BoardState(
        pieces, letters, symbols, styles, tuple(meanings), placed, tuple(cards), in_play, tuple(other_facts)
    )


def cell_of(values: Mapping[str, str]) -> Cell | None:
    """Return the cell (X, Y) of a fact's variables; None when there is none."""
    return numbers([values["X"], values["Y"]]) if "X" in values and "Y" in values else None


def numbers(texts: list[str]) -> Cell | None:
    """Read two whole numbers; None when the texts are anything else."""
    try:
        x, y = map(int, texts)
    except ValueError:
        return None
    return x, y


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
def _declaration(drawing: Drawing, fact: Fact) -> tuple[Piece | Mark | Cards | None, Mapping[str, str]]:
    """Return the first declaration that fits a fact, with the fact's variables."""
    for item in drawing:
        if not isinstance(item, declared.Grid) and (values := variables(item.fact, fact)) is not None:
            return item, values
    return None, {}


def _size(pattern: str, fact: Fact) -> tuple[range, range] | None:
    """Return the columns and the rows that a fact gives; None when it gives none."""
    values = variables(pattern, fact) or {}
    if span := numbers([values.get("LOW", ""), values.get("HIGH", "")]):
        columns = rows = range(span[0], span[1] + 1)
    elif counts := numbers([values.get("COLUMNS", ""), values.get("ROWS", "")]):
        columns, rows = range(1, counts[0] + 1), range(1, counts[1] + 1)
    else:
        return None
    count = (columns.stop - columns.start) * (rows.stop - rows.start)  # `len` has a limit
    return (columns, rows) if columns and rows and count <= MOST_CELLS else None


def _sides(pattern: str, fact: Fact) -> frozenset[Cell] | None:
    """Return the two cells beside a wall; None when the fact is no wall."""
    values = variables(pattern, fact) or {}
    cell, way = cell_of(values), values.get("WAY")
    if cell is None or way not in {"north", "east"}:
        return None
    x, y = cell
    return frozenset({cell, (x, y + 1) if way == "north" else (x + 1, y)})


def _name(pattern: str, fact: Fact) -> str:
    """Return the words of a fact that are not its cell, without the first where there are more."""
    words = [word for want, word in zip(pattern.split(), fact.split(), strict=True) if want not in {"X", "Y"}]
    return " ".join(words[1:] or words)


def _role(mark: Mark, fact: Fact) -> Role | None:
    return (variables(mark.fact, fact) or {}).get("ROLE")


def _look(mark: Mark, fact: Fact, letters: Mapping[Role, str]) -> tuple[str, str]:
    """Return the sign of a mark, and its SGR code."""
    role = _role(mark, fact)
    colour = COLOURS.get(role or "" if mark.colour == "ROLE" else mark.colour, "")
    if role is not None and mark.sign in {"ROLE", "role"}:
        number = list(letters).index(role) % len(ROLES)
        code = f"1;7;{colour}" if colour else ROLES[number]
        return (letters[role], code) if mark.sign == "ROLE" else (letters[role].lower(), code.removeprefix("1;7;"))
    return mark.sign, f"1;{colour}" if colour else ""


def _meanings(
    drawing: Drawing, marks: Sequence[tuple[Cell, Fact, Mark]], owners: Iterable[Role], letters: Mapping[Role, str]
) -> Iterable[tuple[str, str]]:
    """Yield the signs of the marks of a state: those of the roles, and the number of others."""
    for item in drawing:
        if not isinstance(item, Mark):
            continue
        if "ROLE" in item.fact.split():
            for role in owners:
                fact = " ".join(role if word == "ROLE" else word for word in item.fact.split())
                yield _look(item, fact, letters)[0], _name(f"- {item.fact}", f"- {fact}")
        elif count := sum(mark is item for _, _, mark in marks):
            noun = _name(item.fact, item.fact)
            yield item.sign, f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _letters(roles: Iterable[Role]) -> dict[Role, str]:
    """Return a sign for each role: the first free letter of its name, else any free letter or digit."""
    signs = ascii_uppercase + digits
    letters: dict[Role, str] = {}
    for role in roles:
        candidates = (sign for sign in role.upper() + signs if sign in signs)
        letters[role] = next((sign for sign in candidates if sign not in letters.values()), "?")
    return letters


def _in_play(grid: BoardGrid, starts: Iterable[Cell]) -> frozenset[Cell]:
    """Return the cells that steps lead to from the pieces' cells; every cell when no piece stands anywhere."""
    reached = set(starts) or set(product(grid.columns, grid.rows))
    frontier = list(reached)
    while frontier:
        here = x, y = frontier.pop()
        for cell in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
            if cell not in reached and grid.leads(here, cell):
                reached.add(cell)
                frontier.append(cell)
    return frozenset(reached)
