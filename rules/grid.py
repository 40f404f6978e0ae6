"""A rectangular maze: cells, walls between them, and the facts that describe both. Shared by the games on a grid.

`y` grows to the north, `x` to the east. A wall `(x, y, "north")` stands between (x, y) and (x, y+1), a wall
`(x, y, "east")` between (x, y) and (x+1, y).
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
Wall: TypeAlias = tuple[int, int, str]

STEPS: Mapping[str, Cell] = MappingProxyType({"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)})
"""Each direction and what it adds to a cell."""
MOST_CELLS_A_SIDE = 100
"""A record brings its drawn board, and may come from anybody: a board without end would hang whoever reads it."""


def steps(size: tuple[int, int], walls: Iterable[Wall]) -> dict[Cell, dict[str, Cell]]:
    """For each cell of the board and each direction, the neighbour that a step leads to; blocked steps are left out.

    `size` is the lowest and the highest coordinate of both axes. ValueError for a wall that is none.
    """
    low, high = size
    shut = set(walls)
    for wall in shut:
        if len(wall) != 3 or not on_board(size, wall[:2]) or wall[2] not in {"north", "east"}:
            raise ValueError(f"wall {wall}: expected x, y on the board and 'north' or 'east'")
    return {
        (x, y): {
            way: (x + dx, y + dy)
            for way, (dx, dy) in STEPS.items()
            if low <= x + dx <= high and low <= y + dy <= high and not _walled((x, y), way, shut)
        }
        for x in range(low, high + 1)
        for y in range(low, high + 1)
    }


def check_size(size: tuple[int, int]) -> None:
    """Raise ValueError unless a size is the lowest and the highest coordinate of a board that can be played."""
    if (
        len(size) != 2
        or not all(isinstance(end, int) for end in size)
        or not 0 <= size[1] - size[0] < MOST_CELLS_A_SIDE
    ):
        raise ValueError(
            f"size: expected the lowest and the highest coordinate, of at most {MOST_CELLS_A_SIDE} cells, not {size}"
        )


def on_board(size: tuple[int, int], cell: Cell) -> bool:
    """Whether a cell lies on the board; no for anything but x and y, which are whole numbers."""
    low, high = size
    return (
        len(cell) == 2
        and all(isinstance(part, int) for part in cell)
        and low <= cell[0] <= high
        and low <= cell[1] <= high
    )


def reachable(ways: Mapping[Cell, Mapping[str, Cell]], start: Cell) -> frozenset[Cell]:
    """The cells in play: those that steps lead to from `start`."""
    seen, frontier = {start}, [start]
    while frontier:
        fresh = set(ways[frontier.pop()].values()) - seen
        seen |= fresh
        frontier += fresh
    return frozenset(seen)


def board_facts(size: tuple[int, int], walls: Iterable[Wall]) -> list[str]:
    """The facts `size LOW HIGH` and `wall X Y north|east`."""
    return [f"size {size[0]} {size[1]}", *(f"wall {x} {y} {way}" for x, y, way in walls)]


def _walled(cell: Cell, way: str, shut: set[Wall]) -> bool:
    x, y = cell
    wall = {"north": (x, y, "north"), "south": (x, y - 1, "north"), "east": (x, y, "east"), "west": (x - 1, y, "east")}
    return wall[way] in shut
