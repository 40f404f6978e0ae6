"""What the signs of a drawing mean, and the facts of the state that are not drawn, in lines below it."""

from collections.abc import Iterable, Iterator

from arena.drawing.lattice import FILL
from arena.drawing.paint import DIM, paint, style
from arena.drawing.scene import EXIT, PELLET, WIDTH, Grid, Scene
from arena.protocol import clean

GAP = "   "


def legend(grid: Grid, scene: Scene, colour: bool) -> Iterator[str]:
    """The signs that there are, each with its meaning, then every other fact."""
    yield from _lines(
        grid, ((f"{sign} {words}", _told(scene, sign, words, colour)) for sign, words in _signs(grid, scene))
    )
    yield from _lines(grid, ((clean(fact), clean(fact)) for fact in scene.others))


def _told(scene: Scene, sign: str, words: str, colour: bool) -> str:
    return paint(sign, DIM if sign == FILL else style(scene, sign), colour) + f" {words}"


def _signs(grid: Grid, scene: Scene) -> Iterator[tuple[str, str]]:
    for role, (x, y) in scene.roles.items():
        yield scene.letters[role], f"{clean(role)} {x} {y}"
    for x, y in grid.exits:
        yield EXIT, f"exit {x} {y}"
    if scene.pellets:
        yield PELLET, "1 pellet" if len(scene.pellets) == 1 else f"{len(scene.pellets)} pellets"
    if len(scene.in_play) < len(grid.span) ** 2:
        yield FILL, "out of reach"


def _lines(grid: Grid, parts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The parts side by side, in as many lines as they take; each comes plain, to be measured, and painted."""
    line, width = "", grid.margin
    for plain, painted in parts:
        if line and width + len(GAP) + len(plain) > WIDTH:
            yield " " * grid.margin + line
            line, width = "", grid.margin
        gap = GAP if line else ""
        line, width = line + gap + painted, width + len(gap) + len(plain)
    if line:
        yield " " * grid.margin + line
