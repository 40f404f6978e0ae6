"""Facts as values to draw: the grids, which stay, and the scene, which changes with every turn.

It owns how facts are read by a game's declaration (arena/drawing.py), for every painter: the
terminal, the page and the pictures. It draws nothing. It keeps a fact that fits no declaration, or
that makes no sense on these grids, as it is.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import NamedTuple

from arena import drawing as declared
from arena.drawing import MAZE, Cards, Drawing, LetterRows, Mark, Piece
from arena.game import Fact, Role

Cell = tuple[int, int]
MOST_CELLS = 10_000
"""A grid of more cells is not drawn, because its size may come from a stranger's record."""
MOST_GRIDS = 10
WIDTH = 80
"""Columns of the narrowest terminal that a drawing is made for."""


class DrawnFact(NamedTuple):
    """A fact that a declaration draws."""

    item: Piece | Mark | Cards
    grid: int
    """The index of its grid; cards have none, and 0."""
    cell: Cell
    name: str
    """Its words without cell and grid, and without the first of several; of cards, their label."""
    values: Mapping[str, str]
    """The words for which the capitals of the pattern stand."""

    @property
    def colour(self) -> str:
        """The colour that the declaration names; for ROLE the name of the role; empty for none."""
        if isinstance(self.item, Cards):
            return ""
        if self.item.colour == "ROLE":
            return self.values.get("ROLE", self.name)
        return self.item.colour

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards of a row of them."""
        return tuple(_cards(self.values))


@dataclass(frozen=True)
class BoardGrid:
    """The part of a board that never changes: a rectangle of cells, and walls between them."""

    columns: range
    rows: range
    name: str = ""
    """As facts call it by the word GRID; empty where the game has one grid."""
    walls: frozenset[frozenset[Cell]] = frozenset()
    """The two cells beside each wall."""
    is_chequered: bool = False
    space: int = WIDTH
    """Columns of a terminal that it may take, beside others."""

    @cached_property
    def margin(self) -> int:
        """Columns to the left of the grid, for the longest `y` with a blank on each side."""
        lowest = str(self.rows[0])
        highest = str(self.rows[-1])
        return max(len(lowest), len(highest)) + 2

    @cached_property
    def cell_width(self) -> int:
        """Columns of text of a cell: three, or one where the terminal would be too narrow."""
        roomy = self.margin + 4 * len(self.columns) + 1
        if roomy <= self.space:
            return 3
        return 1

    @property
    def width(self) -> int:
        """Columns of text of the whole grid."""
        columns = self.columns[-1] - self.columns[0] + 1
        return self.margin + (self.cell_width + 1) * columns + 1

    def is_dark(self, cell: Cell) -> bool:
        """Return True for every second cell of a chequered grid, from the first on."""
        if not self.is_chequered:
            return False
        x, y = cell
        steps = x - self.columns[0] + y - self.rows[0]
        return steps % 2 == 0

    def on_board(self, cell: Cell) -> bool:
        """Return True when the grid has this cell."""
        x, y = cell
        return x in self.columns and y in self.rows

    def leads(self, here: Cell, there: Cell) -> bool:
        """Return True when nothing stops a step between two neighbours."""
        if not self.on_board(there):
            return False
        return frozenset({here, there}) not in self.walls

    def reached(self, starts: Iterable[Cell]) -> frozenset[Cell]:
        """Return the cells that steps lead to from these; every cell when there are none."""
        reached = set(starts)
        if not reached:
            reached = set(product(self.columns, self.rows))
        frontier = list(reached)
        while frontier:
            here = frontier.pop()
            x, y = here
            neighbours = ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y))
            for cell in neighbours:
                if cell not in reached and self.leads(here, cell):
                    reached.add(cell)
                    frontier.append(cell)
        return frozenset(reached)

    def cells(self, column: int, row: int) -> frozenset[Cell]:
        """Return the cells that a point of the lattice is, or lies between.

        The lattice has half-cells: a point is a cell where column and row are odd, the edge between
        two cells where one of them is, and a corner where edges meet where none is. Row 0 is the
        north rim.
        """
        columns = [column]
        if column % 2 == 0:
            columns = [column - 1, column + 1]
        lines = [row]
        if row % 2 == 0:
            lines = [row - 1, row + 1]

        cells = []
        for lattice_x, lattice_y in product(columns, lines):
            x = self.columns[0] + lattice_x // 2
            y = self.rows[-1] - lattice_y // 2
            cell = (x, y)
            if self.on_board(cell):
                cells.append(cell)
        return frozenset(cells)

    def shut(self, in_play: frozenset[Cell]) -> frozenset[tuple[int, int]]:
        """Return the edges that stop somebody in these cells: walls, and the rim.

        Edges are points of the lattice.
        """
        shut = set()
        columns = range(2 * len(self.columns) + 1)
        lines = range(2 * len(self.rows) + 1)
        for column, row in product(columns, lines):
            if (column + row) % 2 == 0:  # a cell or a corner
                continue
            cells = self.cells(column, row)
            if not cells & in_play:
                continue
            is_rim = len(cells) == 1
            if is_rim or cells in self.walls:
                shut.add((column, row))
        return frozenset(shut)


@dataclass(frozen=True)
class BoardScene:
    """The part of a board that changes with every turn."""

    pieces: Mapping[Role, DrawnFact]
    """By name, which is usually the role's."""
    marks: tuple[DrawnFact, ...]
    rows: tuple[DrawnFact, ...]
    """The rows of cards."""
    other_facts: tuple[Fact, ...]
    """The facts that no declaration fits."""

    def in_play(self, grids: Sequence[BoardGrid]) -> tuple[frozenset[Cell], ...]:
        """Return of each grid the cells that a piece can reach."""
        in_play = []
        for number, grid in enumerate(grids):
            starts = set()
            for piece in self.pieces.values():
                if piece.grid == number:
                    starts.add(piece.cell)
            in_play.append(grid.reached(starts))
        return tuple(in_play)


def read_grids(board: Iterable[Fact], drawing: Drawing = MAZE) -> tuple[BoardGrid, ...]:
    """Return the grids that the facts of the board describe; none of more than MOST_CELLS cells."""
    sizes: dict[str, tuple[range, range]] = {}
    walls: dict[str, set[frozenset[Cell]]] = defaultdict(set)
    chequered: dict[str, bool] = {}
    for fact in board:
        item, values = _declaration(drawing, fact)
        if not isinstance(item, declared.Grid):
            continue
        name = values.get("GRID", "")
        size = _size(values)
        if size is not None:
            sizes.setdefault(name, size)
            chequered.setdefault(name, item.is_chequered)
            continue
        wall = _wall(values)
        if wall is not None:
            walls[name].add(wall)

    space = WIDTH // max(1, len(sizes))
    grids = []
    for name, (columns, rows) in islice(sizes.items(), MOST_GRIDS):
        grid = BoardGrid(
            columns=columns,
            rows=rows,
            name=name,
            walls=frozenset(walls[name]),
            is_chequered=chequered[name],
            space=space,
        )
        grids.append(grid)
    return tuple(grids)


def _wall(values: Mapping[str, str]) -> frozenset[Cell] | None:
    """Return the two cells beside the wall that a fact gives; None when it gives none."""
    cell = pair(values)
    if cell is None:
        return None
    x, y = cell
    way = values.get("WAY")
    if way == "north":
        return frozenset({cell, (x, y + 1)})
    if way == "east":
        return frozenset({cell, (x + 1, y)})
    return None


@lru_cache(64)  # the same few boards come again and again
def only_grid(board: tuple[Fact, ...]) -> BoardGrid | None:
    """Return the grid of a board; None where it has none, or several."""
    grids = read_grids(board)
    if len(grids) != 1:
        return None
    return grids[0]


def cells_of_roles(facts: Iterable[Fact]) -> dict[Role, Cell]:
    """Return the cell of each role by the facts `at ROLE X Y`.

    Of two facts about a role the first counts.
    """
    cell_of: dict[Role, Cell] = {}
    for fact in facts:
        values = variables("at ROLE X Y", fact)
        if not values:
            continue
        cell = pair(values)
        if cell is not None:
            cell_of.setdefault(values["ROLE"], cell)
    return cell_of


def board_marks(
    grids: Sequence[BoardGrid],
    board: Iterable[Fact],
    drawing: Drawing,
) -> tuple[tuple[Fact, DrawnFact], ...]:
    """Return the marks of the board, such as exits, each with its fact."""
    marks = []
    for fact in board:
        thing = read_fact(grids, drawing, fact)
        if thing is not None and isinstance(thing.item, Mark):
            marks.append((fact, thing))
    return tuple(marks)


def read_fact(
    grids: Sequence[BoardGrid],
    drawing: Drawing,
    fact: Fact,
) -> DrawnFact | None:
    """Return a fact as the first declaration that fits draws it.

    None when no declaration fits, or when it makes no sense on these grids.
    """
    item, values = _declaration(drawing, fact)
    if item is None or isinstance(item, declared.Grid):
        return None
    if isinstance(item, Cards):
        words = fact.split()
        label_words = len(words) - len(_cards(values))
        label = " ".join(words[:label_words])
        return DrawnFact(
            item=item,
            grid=0,
            cell=(0, 0),
            name=label,
            values=values,
        )

    cell = pair(values)
    names = [grid.name for grid in grids]
    if cell is None or not names:
        return None
    grid_name = values.get("GRID", names[0])
    if grid_name not in names:
        return None
    number = names.index(grid_name)
    if not grids[number].on_board(cell):
        return None
    return DrawnFact(
        item=item,
        grid=number,
        cell=cell,
        name=name_of(item.fact, fact),
        values=values,
    )


def read_scene(
    grids: Sequence[BoardGrid],
    drawing: Drawing,
    facts: Iterable[Fact],
) -> BoardScene:
    """Return the scene of a state."""
    pieces: dict[Role, DrawnFact] = {}
    marks = []
    rows = []
    other_facts = []
    for fact in drawn_facts(drawing, facts):
        thing = read_fact(grids, drawing, fact)
        if thing is None:
            other_facts.append(fact)
        elif isinstance(thing.item, Piece):
            pieces[thing.name] = thing
        elif isinstance(thing.item, Mark):
            marks.append(thing)
        else:
            rows.append(thing)
    return BoardScene(
        pieces=pieces,
        marks=tuple(marks),
        rows=tuple(rows),
        other_facts=tuple(other_facts),
    )


def drawn_facts(drawing: Drawing, facts: Iterable[Fact]) -> Sequence[Fact]:
    """Return the facts as a drawing reads them: in place of rows a fact for each thing in them."""
    read = list(facts)
    for item in drawing:
        if isinstance(item, LetterRows):
            read = item.drawn_facts(read)
    return read


def pair(
    values: Mapping[str, str],
    first: str = "X",
    second: str = "Y",
) -> Cell | None:
    """Return two variables of a fact that are whole numbers, such as its cell; None for none."""
    try:
        return int(values[first]), int(values[second])
    except (KeyError, ValueError):
        return None


@lru_cache(10_000)
def _declaration(
    drawing: Drawing,
    fact: Fact,
) -> tuple[declared.Grid | Piece | Mark | Cards | None, Mapping[str, str]]:
    """Return the first declaration that fits a fact, with the fact's variables."""
    for item in drawing:
        if isinstance(item, LetterRows):
            continue
        if isinstance(item, declared.Grid):
            patterns = [item.size, item.walls]
        else:
            patterns = [item.fact]
        for pattern in patterns:
            values = variables(pattern, fact)
            if values is not None:
                return item, values
    return None, {}


def _cards(values: Mapping[str, str]) -> list[str]:
    """Return the cards that a fact gives."""
    card = values.get("CARD", "")
    cards = values.get("CARDS", card)
    return cards.split()


def _size(values: Mapping[str, str]) -> tuple[range, range] | None:
    """Return the columns and the rows that a fact gives; None when it gives none."""
    span = pair(values, "LOW", "HIGH")
    counts = pair(values, "COLUMNS", "ROWS")
    if span is not None:
        low, high = span
        columns = range(low, high + 1)
        rows = columns
    elif counts is not None:
        width, height = counts
        columns = range(1, width + 1)
        rows = range(1, height + 1)
    else:
        return None

    if not columns or not rows:
        return None
    width = columns.stop - columns.start  # `len` has a limit
    height = rows.stop - rows.start
    if width * height > MOST_CELLS:
        return None
    return columns, rows


@lru_cache(10_000)  # the same few facts come again and again
def variables(pattern: str, fact: str) -> Mapping[str, str] | None:
    """Return the words of a fact for which the capitals of a pattern stand.

    Return None when the pattern does not fit.
    """
    expected = pattern.split()
    words = fact.split()
    if expected and expected[-1] == "CARDS":  # it stands for all words that are left
        first_card = len(expected) - 1
        cards = " ".join(words[first_card:])
        words[first_card:] = [cards]
    if len(words) != len(expected):
        return None

    values: dict[str, str] = {}
    for name, word in zip(expected, words, strict=True):
        if name.isupper():
            values[name] = word
        elif name != word:
            return None
    return values


def name_of(pattern: str, fact: str) -> str:
    """Return the words of a fact that are not its cell or grid, without the first of several."""
    expected = pattern.split()
    words = []
    for variable, word in zip(expected, fact.split(), strict=True):
        if variable not in {"X", "Y", "GRID"}:
            words.append(word)
    if len(words) > 1:
        del words[0]
    return " ".join(words)
