"""A state as text for a terminal: a grid in box-drawing characters, rows of cards, and the facts that are neither.

Facts in, text out: it prints nothing, asks no terminal, and lets no control character through. It knows facts, not
games: the game's own declaration (arena/drawing.py) says which facts it draws, and how.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from arena.drawing import MAZE, Drawing
from arena.game import Fact, Game, Role
from arena.protocol import clean
from arena.replay.drawing.board_state import BoardGrid, BoardState, read_grid, read_state
from arena.replay.drawing.cards import card_rows
from arena.replay.drawing.lattice import rows
from arena.replay.drawing.legend import legend


def render_state(game: Game[Any], facts: Iterable[Fact], colour: bool = False) -> str:
    """Draw the facts of a state of a game."""
    return render(game.board(), facts, colour, game.drawing, game.roles)


def render(
    board_facts: Iterable[Fact],
    state_facts: Iterable[Fact],
    colour: bool = False,
    drawing: Drawing = MAZE,
    roles: Sequence[Role] = (),
) -> str:
    """Draw a state on its board, as lines of at most 80 columns; list the facts where there is nothing to draw.

    `y` grows upwards. Roles are letters, which a legend explains. Cells that no role can reach are filled. `colour`
    adds SGR codes, but no information.
    """
    board, state = tuple(board_facts), tuple(state_facts)
    grid, now = readable(board, state, drawing, roles)
    if grid is None and not now.cards:
        return "\n".join(clean(fact) for fact in (*board, *state))
    return "\n".join(line.rstrip() for line in (*picture(grid, now, colour), *legend(grid, now, colour)))


def readable(
    board: Iterable[Fact], state: Iterable[Fact], drawing: Drawing, roles: Sequence[Role]
) -> tuple[BoardGrid | None, BoardState]:
    """Return the grid, None where there is none or the terminal has no room for it, and the state of the board."""
    grid = read_grid(board, drawing)
    if grid is not None and not grid.fits:
        grid = None
    return grid, read_state(grid, state, drawing, roles)


def picture(grid: BoardGrid | None, state: BoardState, colour: bool) -> list[str]:
    """Return the grid and the rows of cards as lines; `[]` where there is neither."""
    return [*(rows(grid, state, colour) if grid else ()), *card_rows(state, colour)]
