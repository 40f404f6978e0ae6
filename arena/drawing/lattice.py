"""A grid and its scene -> the lines of the drawing, with coordinates on the rim.

It works on a lattice of half-cells: a place is a cell where column and row are odd, the edge between two cells where
one of them is, and a corner where edges meet where none is.
"""

from collections.abc import Iterator

from arena.drawing.paint import DIM, WALL, paint, style
from arena.drawing.scene import Cell, Grid, Scene

FILL = "░"
CORNERS = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
"""By the walls that meet: the sum of 1 north, 2 east, 4 south, 8 west."""


def rows(grid: Grid, scene: Scene, colour: bool) -> Iterator[str]:
    """The lines from north to south, `y` before each row of cells, and a line of `x` below them all."""
    last = 2 * len(grid.span)
    for row in range(last + 1):
        label = str(grid.high - row // 2) if row % 2 else ""
        places = (_place(grid, scene, column, row, colour) for column in range(last + 1))
        yield paint(f"{label:>{grid.margin - 1}} ", DIM, colour) + "".join(places)
    yield paint(_columns(grid), DIM, colour)


def _columns(grid: Grid) -> str:
    """The `x` below the columns; only every fifth where they would run together."""
    stride = 1 if grid.room > max(len(str(grid.low)), len(str(grid.high))) - 1 and grid.room > 1 else 5
    line = ""
    for number, x in enumerate(grid.span):
        if x % stride == 0:
            middle = grid.margin + 1 + number * (grid.room + 1) + grid.room // 2
            line = line.ljust(middle - len(str(x)) // 2) + str(x)
    return line


def _place(grid: Grid, scene: Scene, column: int, row: int, colour: bool) -> str:
    """One place of the lattice."""
    cells = _cells(grid, column, row)
    width = grid.room if column % 2 else 1
    if column % 2 and row % 2:
        return _cell(grid, scene, next(iter(cells)), colour)
    if not cells & scene.in_play:
        return paint(FILL * width, DIM, colour)
    if column % 2 or row % 2:
        line = ("━" if column % 2 else "┃") if _shut(grid, scene, column, row) else " "
        return paint(line * width, WALL, colour)
    arms = ((column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row))
    return paint(CORNERS[sum(_shut(grid, scene, *arm) << bit for bit, arm in enumerate(arms))], WALL, colour)


def _cells(grid: Grid, column: int, row: int) -> frozenset[Cell]:
    """The cells of the grid that a place is, or lies between."""
    columns = (column,) if column % 2 else (column - 1, column + 1)
    lines = (row,) if row % 2 else (row - 1, row + 1)
    cells = {(grid.low + one // 2, grid.high - other // 2) for one in columns for other in lines}
    return frozenset(cell for cell in cells if grid.on_board(cell))


def _shut(grid: Grid, scene: Scene, column: int, row: int) -> bool:
    """Whether an edge is a wall, or the rim of the grid, that anybody can come up to."""
    cells = _cells(grid, column, row)
    return bool(cells & scene.in_play) and (len(cells) == 1 or cells in grid.walls)


def _cell(grid: Grid, scene: Scene, cell: Cell, colour: bool) -> str:
    """What stands in a cell: the foremost in its middle, `+` where there is no room for all."""
    symbols = scene.symbols.get(cell, ())
    if len(symbols) > grid.room:
        symbols = (*symbols[: grid.room - 1], "+")
    blank = " " if cell in scene.in_play else FILL
    before = blank * ((grid.room - 1) // 2 if len(symbols) < grid.room else 0)
    after = blank * (grid.room - len(before) - len(symbols))
    shown = "".join(paint(symbol, style(scene, symbol), colour) for symbol in symbols)
    return paint(before, DIM, colour) + shown + paint(after, DIM, colour)
