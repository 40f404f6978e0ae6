"""The legend below a drawing: the meaning of its signs, and the facts that are not drawn."""

from collections.abc import Iterable, Iterator

from arena.protocol import clean
from arena.replay.drawing.board_state import EXIT, PELLET, WIDTH, BoardState, Grid
from arena.replay.drawing.lattice import FILL
from arena.replay.drawing.paint import DIM, paint, style

GAP = "   "


def legend(grid: Grid, state: BoardState, colour: bool) -> Iterator[str]:
    """Yield the signs of the drawing, each with its meaning, then every other fact."""
    signs = []
    for sign, meaning in _signs(grid, state):
        code = DIM if sign == FILL else style(state, sign)
        signs.append((f"{sign} {meaning}", f"{paint(sign, code, colour)} {meaning}"))
    yield from _lines(grid, signs)
    yield from _lines(grid, ((clean(fact), clean(fact)) for fact in state.other_facts))


def _signs(grid: Grid, state: BoardState) -> Iterator[tuple[str, str]]:
    for role, (x, y) in state.roles.items():
        yield state.letters[role], f"{clean(role)} {x} {y}"
    for x, y in grid.exits:
        yield EXIT, f"exit {x} {y}"
    if state.pellets:
        yield PELLET, "1 pellet" if len(state.pellets) == 1 else f"{len(state.pellets)} pellets"
    if len(state.in_play) < len(grid.span) ** 2:
        yield FILL, "out of reach"


def _lines(grid: Grid, parts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the parts side by side, in as many lines as they need; each part is plain, to measure it, and painted."""
    line, width = "", grid.margin
    for plain, painted in parts:
        if line and width + len(GAP) + len(plain) > WIDTH:
            yield " " * grid.margin + line
            line, width = "", grid.margin
        gap = GAP if line else ""
        line, width = line + gap + painted, width + len(gap) + len(plain)
    if line:
        yield " " * grid.margin + line
