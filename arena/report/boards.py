"""Boards and their scenes as the page draws them.

Facts are read here, as for every painter, and not in the browser.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

from arena.drawing import Cards
from arena.game import Fact, Game, Role
from arena.protocol import clean
from arena.replay.drawing.scene import BoardGrid, board_marks, read_fact, read_grids, read_scene
from arena.replay.drawing.styles import Style, Styles, wall_path

Item = str | tuple[int | str, ...]
"""A fact: a text where nothing draws it, otherwise a tuple that begins with a style's number.

For cards the label and each card follow; for others x, y, the number of the grid and a text. 0 and
"" at the end are left out.
"""


def values(
    game: Game[Any] | None,
    roles: Sequence[Role],
    sides: Sequence[Sequence[Role]],
    viewer: Role | None = None,
) -> dict[str, object]:
    """Return what never changes of a board: its grids, and the styles of all things.

    The game is None where nobody knows the rules. A `viewer` gets what this role may see; None sees
    all.
    """
    if game is None:
        styles = Styles.of((), roles, sides)
        drawn_grids = []
    else:
        styles = Styles.of(game.drawing, roles, sides)
        drawn_grids = grids(game, styles, viewer)
    return {
        "grids": drawn_grids,
        "styles": list(map(_style, styles.table)),
        "icons": list(map(_style, styles.icons)),
    }


def grids(
    game: Game[Any],
    styles: Styles,
    viewer: Role | None = None,
) -> list[dict[str, object]]:
    """Return the grids of a board.

    Each has its walls as a path, the cells that nobody reaches, and what always lies there.
    """
    facts = tuple(game.board())
    board = read_grids(facts, game.drawing)
    item = items(board, styles)
    marks: defaultdict[int, list[Item]] = defaultdict(list)  # by number of a grid
    for fact, thing in board_marks(board, facts, game.drawing):
        mark = item(fact)
        marks[thing.grid].append(mark)

    first_view = game.view(game.start(), viewer)
    scene = read_scene(board, game.drawing, first_view)
    in_play = scene.in_play(board)
    drawings: list[dict[str, object]] = []
    for number, grid in enumerate(board):
        rock = []
        for x, y in product(grid.columns, grid.rows):
            if (x, y) not in in_play[number]:
                rock.append([x, y])
        columns = grid.columns
        rows = grid.rows
        values: dict[str, object] = {
            "name": clean(grid.name),
            "columns": [columns[0], columns[-1]],
            "rows": [rows[0], rows[-1]],
            "marks": marks[number],
            "walls": wall_path(grid, in_play[number]),
            "rock": rock,
            "chequered": grid.is_chequered,
        }
        drawings.append(values)
    return drawings


def items(grids: Sequence[BoardGrid], styles: Styles) -> Callable[[Fact], Item]:
    """Return a function that reads the facts of a board.

    The same few facts come again and again, so it remembers them.
    """

    @cache
    def item(fact: Fact) -> Item:
        thing = read_fact(grids, styles.drawing, fact)
        if thing is None:
            return clean(fact)
        number = styles.number(thing)
        if number is None:
            return clean(fact)

        values: list[int | str] = [number]
        if isinstance(thing.item, Cards):
            values.append(clean(thing.name))
            for card in thing.cards:
                values.append(clean(card))
            return tuple(values)

        values.extend(thing.cell)
        values.append(thing.grid)
        text = thing.values.get("TEXT", "")
        values.append(clean(text))
        while not values[-1] and len(values) > 3:
            values.pop()
        return tuple(values)

    return item


def _style(style: Style) -> dict[str, object]:
    """Return a style without the values that it does not need."""
    values = style._asdict() | {"fact": clean(style.fact)}
    needed = {}
    for name, value in values.items():
        is_role = name == "role" and value is not None  # 0 is a role, too
        if value or is_role:
            needed[name] = value
    return needed
