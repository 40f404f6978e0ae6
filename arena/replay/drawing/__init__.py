"""A state as text for a terminal: grids in box-drawing characters, rows of cards, other facts.

Facts in, text out: it prints nothing, asks no terminal, and lets no control character through. It
knows facts, not games: the game's own declaration (arena/drawing.py) says which facts it draws, and
how.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
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
UPSIDE_DOWN = str.maketrans("┌┬┐", "└┴┘")
"""Makes the lower rim of a card of its upper one."""


def render_state(
    game: Game[Any],
    facts: Iterable[Fact],
    colour: bool = False,
) -> str:
    """Draw a state of a game, as lines of at most 80 columns.

    Where there is nothing to draw, list the facts.

    `y` grows upwards. Roles are letters, which a legend explains. Cells that no role can reach are
    filled. `colour` adds SGR codes, but no information.
    """
    facts = tuple(facts)
    grids, state = readable(game, facts)
    if not grids and not state.scene.rows:
        all_facts = chain(game.board(), facts)
        return "\n".join(map(clean, all_facts))

    lines = picture(grids, state)
    lines.extend(_legend(grids, state))
    text = "\n".join(line.rstrip() for line in lines)
    if colour:
        return text
    return plain(text)


def readable(game: Game[Any], facts: Iterable[Fact]) -> tuple[tuple[BoardGrid, ...], BoardSigns]:
    """Return the grids and the signs on them; no grids where the terminal has no room for one."""
    grids = read_grids(game.board(), game.drawing)
    widths = [grid.width for grid in grids]
    if max(widths, default=0) > WIDTH:
        grids = ()
    signs = board_signs(grids, game, facts)
    return grids, signs


def picture(grids: Sequence[BoardGrid], state: BoardSigns) -> list[str]:
    """Return the grids, side by side where there is room, and the rows of cards, as lines."""
    blocks = []
    for number, grid in enumerate(grids):
        block = list(rows(grid, number, state))
        if grid.name:
            margin = " " * grid.margin
            title = clean(grid.name)
            block.insert(0, margin + title)
        blocks.append(block)

    lines: list[str] = []
    width = sum(grid.width for grid in grids)
    if width > WIDTH:
        for block in blocks:
            lines += block
    else:
        for parts in zip_longest(*blocks, fillvalue=""):
            line = ""
            for grid, part in zip(grids, parts, strict=True):
                blanks = grid.width - len(plain(part))
                line += part + " " * blanks
            lines.append(line)
    lines += _card_rows(state)
    return lines


def plain(text: str) -> str:
    """Return a text without codes of colour, which take no columns."""
    return SGR.sub("", text)


def _card_rows(state: BoardSigns) -> Iterator[str]:
    """Yield three lines for each row of cards, also an empty one; its label is in the middle."""
    longest_label = 0
    for row in state.scene.rows:
        label = clean(row.name)
        longest_label = max(longest_label, len(label))
    margin = longest_label + 3
    blanks = " " * margin

    for row in state.scene.rows:
        label = clean(row.name)
        cards = [clean(card) for card in row.cards]
        faces = [_face(card) for card in cards]
        top = ""
        middle = ""
        if faces:
            rims = "┬".join("─" * len(face) for face in faces)
            top = f"┌{rims}┐"
            line = paint("│", DIM)
            middle = line + line.join(faces) + line
        if margin + len(top) > WIDTH:  # too many to draw
            top = ""
            middle = " ".join(cards)
        bottom = top.translate(UPSIDE_DOWN)
        yield blanks + paint(top, DIM)
        yield f" {label:{margin - 1}}{middle}"
        yield blanks + paint(bottom, DIM)


def _face(card: str) -> str:
    """Return the inside of a card; `?` lies face down."""
    if card == "?":
        return FACE_DOWN * 3
    return f" {card} "


def _legend(grids: Sequence[BoardGrid], state: BoardSigns) -> Iterator[str]:
    """Yield the signs of the drawing, each with its meaning, then every other fact."""
    signs = []
    margin = 1
    if grids:
        margin = grids[0].margin
        for name, piece in state.scene.pieces.items():
            x, y = piece.cell
            letter = state.letters[name]
            signs.append((letter, f"{clean(name)} {x} {y}"))
        for sign, meaning in state.meanings:
            signs.append((sign, clean(meaning)))
        reached = sum(map(len, state.in_play))
        cells = 0
        for grid in grids:
            cells += len(grid.columns) * len(grid.rows)
        if reached < cells:
            signs.append((FILL, "out of reach"))

    codes = state.styles | {FILL: DIM}
    painted = []
    for sign, meaning in signs:
        code = codes.get(sign, "")
        painted_sign = paint(sign, code)
        painted.append(f"{painted_sign} {meaning}")
    yield from _lines(margin, painted)
    yield from _lines(margin, map(clean, state.scene.other_facts))


def _lines(margin: int, parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts side by side, in as many lines as they need; SGR codes take no columns."""
    line = ""
    width = margin
    for part in parts:
        columns = len(plain(part))
        if line and width + len(GAP) + columns > WIDTH:
            yield " " * margin + line
            line = ""
            width = margin
        if line:
            line += GAP
            width += len(GAP)
        line += part
        width += columns
    if line:
        yield " " * margin + line
