"""A state as text for a terminal: grids in box-drawing characters, rows of cards, and the facts that are neither.

Facts in, text out: it prints nothing, asks no terminal, and lets no control character through. It knows facts, not
games: the game's own declaration (arena/drawing.py) says which facts it draws, and how.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from arena.game import Fact, Game
from arena.protocol import clean
from arena.replay.drawing.lattice import FILL, rows
from arena.replay.drawing.paint import DIM, paint
from arena.replay.drawing.scene import WIDTH, BoardGrid, read_grids
from arena.replay.drawing.signs import BoardSigns, board_signs

FACE_DOWN = "░"
GAP = "   "
SGR = re.compile(r"\x1b\[[0-9;]*m")


def render_state(game: Game[Any], facts: Iterable[Fact], colour: bool = False) -> str:
    """Draw a state of a game, as lines of at most 80 columns; list the facts where there is nothing to draw.

    `y` grows upwards. Roles are letters, which a legend explains. Cells that no role can reach are filled. `colour`
    adds SGR codes, but no information.
    """
    facts = tuple(facts)
    grids, state = readable(game, facts)
    if not grids and not state.cards:
        return "\n".join(clean(fact) for fact in (*game.board(), *facts))
    return "\n".join(line.rstrip() for line in (*picture(grids, state, colour), *_legend(grids, state, colour)))


def readable(game: Game[Any], facts: Iterable[Fact]) -> tuple[tuple[BoardGrid, ...], BoardSigns]:
    """Return the grids, none where the terminal has no room for one of them, and the signs on them."""
    grids = read_grids(game.board(), game.drawing)
    if any(grid.width > WIDTH for grid in grids):
        grids = ()
    return grids, board_signs(grids, game, facts)


def picture(grids: Sequence[BoardGrid], state: BoardSigns, colour: bool) -> list[str]:
    """Return the grids, side by side where there is room, and the rows of cards, as lines."""
    drawn = [
        ([f"{'':{grid.margin}}{clean(grid.name)}"] if grid.name else []) + list(rows(grid, number, state, colour))
        for number, grid in enumerate(grids)
    ]
    if sum(grid.width for grid in grids) <= WIDTH:
        drawn = [[_beside(grids, lines) for lines in zip_longest(*drawn, fillvalue="")]]
    return [*(line for lines in drawn for line in lines), *_card_rows(state, colour)]


def _beside(grids: Sequence[BoardGrid], lines: Sequence[str]) -> str:
    """Return a line of each grid in one; codes of colour take no columns."""
    return "".join(line + " " * (grid.width - len(SGR.sub("", line))) for grid, line in zip(grids, lines, strict=True))


def _card_rows(state: BoardSigns, colour: bool) -> Iterator[str]:
    """Yield three lines for each row of cards, its label before the middle one; as many without cards."""
    margin = max((len(clean(label)) for label, _ in state.cards), default=0) + 3
    for label, row in state.cards:
        cards = [clean(card) for card in row]
        faces = [FACE_DOWN * 3 if card == "?" else f" {card} " for card in cards]
        top = f"┌{'┬'.join('─' * len(face) for face in faces)}┐" if faces else ""
        line = paint("│", DIM, colour)
        middle = f"{line}{line.join(faces)}{line}" if faces else ""
        if margin + len(top) > WIDTH:  # too many to draw
            top, middle = "", " ".join(cards)
        yield f"{'':{margin}}{paint(top, DIM, colour)}"
        yield f" {clean(label):{margin - 1}}{middle}"
        yield f"{'':{margin}}{paint(top.translate(str.maketrans('┌┬┐', '└┴┘')), DIM, colour)}"


def _legend(grids: Sequence[BoardGrid], state: BoardSigns, colour: bool) -> Iterator[str]:
    """Yield the signs of the drawing, each with its meaning, then every other fact."""
    signs = []
    if grids:
        signs = [(state.letters[role], f"{clean(role)} {x} {y}") for role, (x, y) in state.roles.items()]
        signs += [(sign, clean(meaning)) for sign, meaning in state.meanings]
        if any(
            len(cells) < len(grid.columns) * len(grid.rows) for grid, cells in zip(grids, state.in_play, strict=True)
        ):
            signs.append((FILL, "out of reach"))
    codes = state.styles | {FILL: DIM}
    margin = grids[0].margin if grids else 1
    yield from _lines(margin, (f"{paint(sign, codes.get(sign, ''), colour)} {text}" for sign, text in signs))
    yield from _lines(margin, map(clean, state.other_facts))


def _lines(margin: int, parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts side by side, in as many lines as they need; codes of colour take no columns."""
    line, width = "", margin
    for part in parts:
        columns = len(SGR.sub("", part))
        if line and width + len(GAP) + columns > WIDTH:
            yield " " * margin + line
            line, width = "", margin
        gap = GAP if line else ""
        line, width = line + gap + part, width + len(gap) + columns
    if line:
        yield " " * margin + line
