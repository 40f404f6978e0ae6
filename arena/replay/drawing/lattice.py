"""A grid and its signs -> the painted lines of the drawing, with coordinates on the rim.

It draws each point of the lattice of half-cells (`BoardGrid.cells`).
"""

from collections.abc import Iterator

from arena.replay.drawing.paint import DIM, WALL, paint
from arena.replay.drawing.scene import BoardGrid
from arena.replay.drawing.signs import BoardSigns

FILL = "░"
CORNERS = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
"""By the walls that meet: the sum of 1 north, 2 east, 4 south, 8 west."""


def rows(grid: BoardGrid, number: int, state: BoardSigns) -> Iterator[str]:
    """Yield the lines of a grid from north to south, with `y` to the left and `x` below.

    `number` is the index of the grid among those of the board.
    """
    in_play = state.in_play[number]
    shut = grid.shut(in_play)
    lattice_columns = 2 * len(grid.columns) + 1
    lattice_rows = 2 * len(grid.rows) + 1
    for row in range(lattice_rows):
        y = grid.rows[-1] - row // 2
        label = ""
        if row % 2:
            label = str(y)
        line = paint(f"{label:>{grid.margin - 1}} ", DIM)
        for column in range(lattice_columns):
            x = grid.columns[0] + column // 2
            if column % 2 and row % 2:
                cell = (x, y)
                symbols = state.symbols.get((number, cell), ())
                line += _cell(grid.cell_width, state, symbols, cell in in_play)
                continue

            width = 1
            if column % 2:
                width = grid.cell_width
            if grid.cells(column, row) & in_play:
                edge = _edge(column, row, shut)
                line += paint(edge * width, WALL)
            else:
                line += paint(FILL * width, DIM)
        yield line
    yield paint(_columns(grid), DIM)


def _edge(column: int, row: int, shut: frozenset[tuple[int, int]]) -> str:
    """Return the sign of a point of the lattice that is an edge or a corner."""
    if column % 2 or row % 2:
        if (column, row) not in shut:
            return " "
        if column % 2:
            return "━"
        return "┃"

    number = 0
    if (column, row - 1) in shut:
        number += 1
    if (column + 1, row) in shut:
        number += 2
    if (column, row + 1) in shut:
        number += 4
    if (column - 1, row) in shut:
        number += 8
    return CORNERS[number]


def _columns(grid: BoardGrid) -> str:
    """Return the `x` below the columns; only every fifth where they would run together."""
    labels = map(str, grid.columns)
    longest = max(map(len, labels))
    stride = 5
    if grid.cell_width > max(1, longest - 1):
        stride = 1

    line = ""
    for number, x in enumerate(grid.columns):
        if x % stride != 0:
            continue
        label = str(x)
        start = grid.margin + 1 + number * (grid.cell_width + 1)
        middle = start + grid.cell_width // 2
        line = line.ljust(middle - len(label) // 2)
        line += label
    return line


def _cell(
    width: int,
    state: BoardSigns,
    symbols: tuple[str, ...],
    in_play: bool,
) -> str:
    """Draw a cell: the foremost sign in its middle, `+` where there is no room for all."""
    signs = list(symbols)
    if len(signs) > width:
        del signs[width - 1 :]
        signs.append("+")

    blank = FILL
    if in_play:
        blank = " "
    before = ""
    if len(signs) < width:
        before = blank * ((width - 1) // 2)
    room = width - len(before) - len(signs)
    after = blank * room

    painted = paint(before, DIM)
    for sign in signs:
        code = state.styles.get(sign, "")
        painted += paint(sign, code)
    painted += paint(after, DIM)
    return painted
