"""A grid and the state of the board -> the lines of the drawing, with coordinates on the rim.

It works on a lattice of half-cells: a place is a cell where column and row are odd, the edge between two cells where
one of them is, and a corner where edges meet where none is.
"""

from collections.abc import Iterator
from itertools import product

from arena.replay.drawing.board_state import BoardGrid, BoardState, Cell
from arena.replay.drawing.paint import DIM, WALL, paint

FILL = "░"
CORNERS = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
"""By the walls that meet: the sum of 1 north, 2 east, 4 south, 8 west."""


def rows(grid: BoardGrid, number: int, state: BoardState, colour: bool) -> Iterator[str]:
    """Yield the lines of a grid from north to south, `y` before each row of cells, and a line of `x` below them.

    `number` is the index of the grid among those of the board.
    """
    in_play = state.in_play[number]
    down, across = range(2 * len(grid.rows) + 1), range(2 * len(grid.columns) + 1)
    # An edge is a wall, or the rim of the grid, which a role can reach; each draws three places of the lattice.
    shut = set()
    for column, row in product(across, down):
        cells = _cells(grid, column, row) if (column + row) % 2 else frozenset()
        if cells & in_play and (len(cells) == 1 or cells in grid.walls):
            shut.add((column, row))
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
    grid: BoardGrid, in_play: frozenset[Cell], shut: set[tuple[int, int]], column: int, row: int, colour: bool
) -> str:
    """Draw an edge or a corner; `shut` are the edges that are walls."""
    width = grid.cell_width if column % 2 else 1
    if not _cells(grid, column, row) & in_play:
        return paint(FILL * width, DIM, colour)
    if column % 2 or row % 2:
        line = ("━" if column % 2 else "┃") if (column, row) in shut else " "
        return paint(line * width, WALL, colour)
    arms = ((column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row))
    return paint(CORNERS[sum((arm in shut) << bit for bit, arm in enumerate(arms))], WALL, colour)


def _cells(grid: BoardGrid, column: int, row: int) -> frozenset[Cell]:
    """Return the cells of the grid that a place is, or lies between."""
    columns = (column,) if column % 2 else (column - 1, column + 1)
    lines = (row,) if row % 2 else (row - 1, row + 1)
    cells = {(grid.columns[0] + x // 2, grid.rows[-1] - y // 2) for x in columns for y in lines}
    return frozenset(cell for cell in cells if grid.on_board(cell))


def _cell(grid: BoardGrid, state: BoardState, number: int, cell: Cell, colour: bool) -> str:
    """Draw a cell: the foremost sign in its middle, `+` where there is no room for all."""
    symbols = state.symbols.get((number, cell), ())
    if len(symbols) > grid.cell_width:
        symbols = (*symbols[: grid.cell_width - 1], "+")
    blank = " " if cell in state.in_play[number] else FILL
    before = blank * ((grid.cell_width - 1) // 2 if len(symbols) < grid.cell_width else 0)
    after = blank * (grid.cell_width - len(before) - len(symbols))
    signs = "".join(paint(symbol, state.styles.get(symbol, ""), colour) for symbol in symbols)
    return paint(before, DIM, colour) + signs + paint(after, DIM, colour)
