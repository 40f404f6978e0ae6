"""Boards and their facts as the page draws them: facts are read here, as for the terminal, and not in the browser."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from arena.drawing import Cards, Drawing, Mark, Piece
from arena.game import Fact, Game, Role
from arena.protocol import clean
from arena.replay.drawing.board_state import BoardGrid, board_marks, read_fact, read_grids, read_state, role_letters

Item = str | tuple[int | str, ...]
"""A fact: as a text where nothing draws it; else the number of its declaration, then of cards the label and each card,
and of others x, y, the number of the role from 1, that of the grid, and a text; 0 and "" at the end are left out."""

NOTHING: dict[str, object] = {"grids": [], "drawing": [], "looks": [], "letters": []}
"""What `values` returns, of a board whose rules nobody knows."""


def values(game: Game[Any]) -> dict[str, object]:
    """Return the grids of a board, its declarations, and of each role the look and the letter."""
    facts, roles = tuple(game.board()), tuple(game.roles)
    grids = read_grids(facts, game.drawing)
    start = read_state(grids, game, game.view(game.start(), None))
    item = items(grids, game.drawing, roles)
    marks = [(each.grid, item(fact)) for fact, each in board_marks(grids, facts, game.drawing)]
    return {
        "grids": [
            {
                "name": clean(grid.name),
                "columns": [grid.columns[0], grid.columns[-1]],
                "rows": [grid.rows[0], grid.rows[-1]],
                "marks": [mark for number_of_grid, mark in marks if number_of_grid == number],
                "walls": sorted(sorted(wall) for wall in grid.walls if len(wall) == 2),
                "reach": sorted(cell for cell in start.in_play[number] if grid.on_board(cell)),
            }
            for number, grid in enumerate(grids)
        ],
        "drawing": [{"kind": type(each).__name__.lower()} | each._asdict() for each in game.drawing],
        "looks": [_look(game.drawing, role) for role in roles],
        "letters": [role_letters(roles)[role] for role in roles],
    }


def items(grids: Sequence[BoardGrid], drawing: Drawing, roles: Sequence[Role]) -> Callable[[Fact], Item]:
    """Return a function that reads the facts of a board; the same few facts come again and again."""

    @cache
    def item(fact: Fact) -> Item:
        drawn = read_fact(grids, drawing, fact)
        if drawn is None or (isinstance(drawn.item, Piece) and drawn.name not in roles):
            return clean(fact)
        number = drawing.index(drawn.item)
        if isinstance(drawn.item, Cards):
            return (number, clean(drawn.name), *map(clean, drawn.cards))
        role = drawn.name if isinstance(drawn.item, Piece) else drawn.values.get("ROLE")
        owner = roles.index(role) + 1 if role in roles else 0
        values: list[int | str] = [number, *drawn.cell, owner, drawn.grid, clean(drawn.values.get("TEXT", ""))]
        while not values[-1] and len(values) > 3:
            values.pop()
        return tuple(values)

    return item


def _look(drawing: Drawing, role: Role) -> int | None:
    """Return the number of the declaration that says how a role looks: its piece, or else the discs that it owns."""
    own = [number for number, item in enumerate(drawing) if {"ROLE", role} & {*getattr(item, "fact", "").split()}]
    pieces = [number for number in own if isinstance(drawing[number], Piece)]
    discs = [number for number in own if isinstance(item := drawing[number], Mark) and item.shape == "disc"]
    return next(iter(pieces + discs), None)
