"""Boards and their scenes as the page draws them: facts are read here, as for every painter, and not in the browser."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from arena.drawing import Cards
from arena.game import Fact, Game, Role
from arena.protocol import clean
from arena.replay.drawing.scene import BoardGrid, board_marks, read_fact, read_grids, read_scene
from arena.replay.drawing.styles import Style, Styles, wall_path

Item = str | tuple[int | str, ...]
"""A fact: as a text where nothing draws it; else the number of its style, then of cards the label and each card, and
of others x, y, the number of the grid, and a text; 0 and "" at the end are left out."""


def values(
    game: Game[Any] | None,
    roles: Sequence[Role],
    sides: Sequence[Sequence[Role]],
    viewer: Role | None = None,
) -> dict[str, object]:
    """Return what never changes of a board: its grids, and the styles of all things; None = nobody knows the rules.

    A `viewer` gets what this role may see; None sees all.
    """
    styles = Styles.of(() if game is None else game.drawing, roles, sides)
    return {
        "grids": [] if game is None else grids(game, styles, viewer),
        "styles": list(map(_style, styles.table)),
        "icons": list(map(_style, styles.icons)),
    }


def grids(game: Game[Any], styles: Styles, viewer: Role | None = None) -> list[dict[str, object]]:
    """Return the grids of a board, their walls as a path, the cells that nobody reaches, and what always lies there."""
    facts = tuple(game.board())
    board = read_grids(facts, game.drawing)
    in_play = read_scene(board, game.drawing, game.view(game.start(), viewer)).in_play(board)
    item = items(board, styles)
    marks = [(each.grid, item(fact)) for fact, each in board_marks(board, facts, game.drawing)]
    return [
        {
            "name": clean(grid.name),
            "columns": [grid.columns[0], grid.columns[-1]],
            "rows": [grid.rows[0], grid.rows[-1]],
            "marks": [mark for number_of_grid, mark in marks if number_of_grid == number],
            "walls": wall_path(grid, in_play[number]),
            "rock": [
                [x, y] for x in grid.columns for y in grid.rows if (x, y) not in in_play[number]
            ],
        }
        for number, grid in enumerate(board)
    ]


def items(grids: Sequence[BoardGrid], styles: Styles) -> Callable[[Fact], Item]:
    """Return a function that reads the facts of a board; the same few facts come again and again."""

    @cache
    def item(fact: Fact) -> Item:
        drawn = read_fact(grids, styles.drawing, fact)
        number = None if drawn is None else styles.number(drawn)
        if drawn is None or number is None:
            return clean(fact)
        if isinstance(drawn.item, Cards):
            return (number, clean(drawn.name), *map(clean, drawn.cards))
        values: list[int | str] = [
            number,
            *drawn.cell,
            drawn.grid,
            clean(drawn.values.get("TEXT", "")),
        ]
        while not values[-1] and len(values) > 3:
            values.pop()
        return tuple(values)

    return item


def _style(style: Style) -> dict[str, object]:
    """Return a style without what it does not need."""
    every = style._asdict() | {"fact": clean(style.fact)}
    return {
        name: value
        for name, value in every.items()
        if value or (name == "role" and value is not None)
    }
