"""A state as text for a terminal: a grid in box-drawing characters, any other game as its facts.

Facts in, text out: it prints nothing, asks no terminal, and lets no control character through. It knows facts, not
games: `size`, `wall` and `exit` of the board, `at` and `pellet` of the state; what else a state says is listed below.
"""

from collections.abc import Iterable

from arena.drawing.lattice import rows
from arena.drawing.legend import legend
from arena.drawing.scene import read_grid, read_scene
from arena.game import Fact
from arena.protocol import clean


def draw(board_facts: Iterable[Fact], state_facts: Iterable[Fact], colour: bool = False) -> str:
    """A state on its board, as lines of at most 80 columns; the facts themselves where there is no grid to draw.

    `y` grows upwards. Roles are letters; a legend tells them. Cells that nobody can reach are filled. With `colour`
    there are SGR codes in it, and nothing that the plain text does not say.
    """
    board, state = tuple(board_facts), tuple(state_facts)
    grid = read_grid(board)
    if grid is None or not grid.fits:
        return "\n".join(clean(fact) for fact in (*board, *state))
    scene = read_scene(grid, state)
    return "\n".join(line.rstrip() for line in (*rows(grid, scene, colour), *legend(grid, scene, colour)))
