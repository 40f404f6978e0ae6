"""A grid and its signs -> the lines of the drawing, with coordinates on the rim.

It draws each point of the lattice of half-cells (`BoardGrid.cells`).
"""

from collections.abc import Iterator

from arena.replay.drawing.paint import DIM, WALL, paint
from arena.replay.drawing.scene import BoardGrid, Cell
from arena.replay.drawing.signs import BoardSigns

FILL = "░"
CORNERS = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
"""By the walls that meet: the sum of 1 north, 2 east, 4 south, 8 west."""


def rows(grid: BoardGrid, number: int, state: BoardSigns, colour: bool) -> Iterator[str]:
    """Yield the lines of a grid from north to south, `y` before each row of cells, and a line of `x` below them.

    `number` is the index of the grid among those of the board.
    """
    in_play = state.in_play[number]
    down, across = range(2 * len(grid.rows) + 1), range(2 * len(grid.columns) + 1)
    shut = grid.shut(in_play)
    for row in down:
        label = str(grid.rows[-1] - row // 2) if row % 2 else ""
        line = paint(f"{label:>{grid.margin - 1}} ", DIM, colour)
        for column in across:
            if column % 2 and row % 2:
                cell = (grid.columns[0] + column // 2, grid.rows[-1] - row // 2)
                line += _cell(grid, state, number, cell, colour)
            else:
                line += _edge(grid, in_play, shut, column, row, colour)
        yield line
    yield paint(_columns(grid), DIM, colour)


def _columns(grid: BoardGrid) -> str:
    """Return the `x` below the columns; only every fifth where they would run together."""
    stride = 1 if grid.cell_width > max(len(str(x)) for x in grid.columns) - 1 and grid.cell_width > 1 else 5
    line = ""
    for number, x in enumerate(grid.columns):
        if x % stride == 0:
            middle = grid.margin + 1 + number * (grid.cell_width + 1) + grid.cell_width // 2
            line = line.ljust(middle - len(str(x)) // 2) + str(x)
    return line


def _edge(
    grid: BoardGrid, in_play: frozenset[Cell], shut: frozenset[tuple[int, int]], column: int, row: int, colour: bool
) -> str:
    """Draw an edge or a corner; `shut` are the edges that are walls."""
    width = grid.cell_width if column % 2 else 1
    if not grid.cells(column, row) & in_play:
        return paint(FILL * width, DIM, colour)
    if column % 2 or row % 2:
        line = ("━" if column % 2 else "┃") if (column, row) in shut else " "
        return paint(line * width, WALL, colour)
    arms = ((column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row))
    return paint(CORNERS[sum((arm in shut) << bit for bit, arm in enumerate(arms))], WALL, colour)


def _cell(grid: BoardGrid, state: BoardSigns, number: int, cell: Cell, colour: bool) -> str:
    """Draw a cell: the foremost sign in its middle, `+` where there is no room for all."""
    symbols = state.symbols.get((number, cell), ())
    if len(symbols) > grid.cell_width:
        symbols = (*symbols[: grid.cell_width - 1], "+")
    blank = " " if cell in state.in_play[number] else FILL
    before = blank * ((grid.cell_width - 1) // 2 if len(symbols) < grid.cell_width else 0)
    after = blank * (grid.cell_width - len(before) - len(symbols))
    signs = "".join(paint(symbol, state.styles.get(symbol, ""), colour) for symbol in symbols)
    return paint(before, DIM, colour) + signs + paint(after, DIM, colour)
