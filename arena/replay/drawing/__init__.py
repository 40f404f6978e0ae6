"""A state as text for a terminal: a grid in box-drawing characters, any other game as its facts.

Facts in, text out: it prints nothing, asks no terminal, and lets no control character through. It knows facts, not
games: `size`, `wall` and `exit` of the board, `at` and `pellet` of the state. The other facts of a state stand below.
"""

from collections.abc import Iterable

from arena.game import Fact
from arena.protocol import clean
from arena.replay.drawing.board_state import read_grid, read_state
from arena.replay.drawing.lattice import rows
from arena.replay.drawing.legend import legend


def draw(board_facts: Iterable[Fact], state_facts: Iterable[Fact], colour: bool = False) -> str:
    """Draw a state on its board, as lines of at most 80 columns; list the facts where there is no grid to draw.

    `y` grows upwards. Roles are letters, which a legend explains. Cells that no role can reach are filled. `colour`
    adds SGR codes, but no information.
    """
    board, state = tuple(board_facts), tuple(state_facts)
    grid = read_grid(board)
    if grid is None or not grid.fits:
        return "\n".join(clean(fact) for fact in (*board, *state))
    now = read_state(grid, state)
    return "\n".join(line.rstrip() for line in (*rows(grid, now, colour), *legend(grid, now, colour)))
