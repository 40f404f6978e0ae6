"""The legend below a drawing: the meaning of its signs, and the facts that are not drawn."""

from collections.abc import Iterable, Iterator

from arena.protocol import clean
from arena.replay.drawing.board_state import WIDTH, BoardGrid, BoardState
from arena.replay.drawing.lattice import FILL
from arena.replay.drawing.paint import DIM, paint, style

GAP = "   "


def legend(grid: BoardGrid | None, state: BoardState, colour: bool) -> Iterator[str]:
    """Yield the signs of the drawing, each with its meaning, then every other fact."""
    margin, signs = 1, []
    if grid is not None:
        margin = grid.margin
        for sign, meaning in _signs(grid, state):
            code = DIM if sign == FILL else style(state, sign)
            signs.append((f"{sign} {meaning}", f"{paint(sign, code, colour)} {meaning}"))
    yield from _lines(margin, signs)
    yield from _lines(margin, ((clean(fact), clean(fact)) for fact in state.other_facts))


def _signs(grid: BoardGrid, state: BoardState) -> Iterator[tuple[str, str]]:
    for role, (x, y) in state.roles.items():
        yield state.letters[role], f"{clean(role)} {x} {y}"
    yield from ((sign, clean(meaning)) for sign, meaning in state.meanings)
    if len(state.in_play) < len(grid.columns) * len(grid.rows):
        yield FILL, "out of reach"


def _lines(margin: int, parts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the parts side by side, in as many lines as they need; each part is plain, to measure it, and painted."""
    line, width = "", margin
    for plain, painted in parts:
        if line and width + len(GAP) + len(plain) > WIDTH:
            yield " " * margin + line
            line, width = "", margin
        gap = GAP if line else ""
        line, width = line + gap + painted, width + len(gap) + len(plain)
    if line:
        yield " " * margin + line
