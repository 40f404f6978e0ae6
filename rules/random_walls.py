"""Draws the walls of a maze. Shared by the generators of the games on a grid."""

from collections.abc import Mapping
from random import Random

from .grid import Cell, Wall, steps


def draw_walls(
    size: tuple[int, int],
    density: float,
    dice: Random,
    *,
    symmetric: bool = False,
    ways_out: int = 1,
    loops: int = 0,
) -> tuple[Wall, ...]:
    """Draw walls on this share of the borders between cells, or on as many as can stand.

    They are drawn one after another. A wall is left out if it would part two cells, leave a cell with fewer than
    `ways_out` neighbours, or leave the maze with fewer than `loops` loops. If `symmetric`, west and east are
    mirrored; then there may be one wall more.
    """
    low, high = size
    neighbours = {cell: set(ways.values()) for cell, ways in steps(size, ()).items()}
    borders = [(*cell, way) for cell, ways in steps(size, ()).items() for way in ("east", "north") if way in ways]
    wanted = round(density * len(borders))
    most = len(borders) - (len(neighbours) - 1) - loops  # without loops the openings are a tree that reaches every cell
    dice.shuffle(borders)
    walls: set[Wall] = set()
    for x, y, way in borders:
        if len(walls) >= wanted:
            break
        pair = {(x, y, way), (low + high - x - (way == "east"), y, way)} if symmetric else {(x, y, way)}
        sides = [((x, y), (x + 1, y) if way == "east" else (x, y + 1)) for x, y, way in pair - walls]
        for cell, other in sides:
            neighbours[cell].remove(other)
            neighbours[other].remove(cell)
        enough = all(len(neighbours[cell]) >= ways_out for side in sides for cell in side)
        if enough and len(walls | pair) <= most and all(_joined(neighbours, *side) for side in sides):
            walls |= pair
        else:
            for cell, other in sides:
                neighbours[cell].add(other)
                neighbours[other].add(cell)
    return tuple(sorted(walls))


def check_loops(size: tuple[int, int], loops: int) -> None:
    """Raise ValueError for a number of loops that no maze of this size can have."""
    width = size[1] - size[0] + 1
    if not 0 <= loops <= (width - 1) ** 2:
        raise ValueError(f"loops: expected 0 to {(width - 1) ** 2}, the loops of a board without walls, not {loops}")


def _joined(neighbours: Mapping[Cell, set[Cell]], start: Cell, end: Cell) -> bool:
    """Return whether a way leads from one cell to the other."""
    seen, frontier = {start}, [start]
    while frontier and end not in seen:
        fresh = neighbours[frontier.pop()] - seen
        seen |= fresh
        frontier += fresh
    return end in seen
