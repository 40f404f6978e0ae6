"""Colour for terminals: SGR codes (ECMA-48). They only repeat what letters and lines say."""

from arena.replay.drawing.board_state import EXIT, PELLET, BoardState

WALL, DIM = "34", "2"
MARKS = {EXIT: "1;35", PELLET: ""}
ROLES = ("1;7;32", "1;7;31", "1;7;34", "1;7;35", "1;7;36")
"""Of the roles, in order of play: turned, so that they stand out on light and on dark."""


def paint(text: str, code: str, colour: bool) -> str:
    """Return the text in this style; blanks, and text without a style, stay as they are."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code and not text.isspace() and text else text


def style(state: BoardState, symbol: str) -> str:
    """Return the style of what stands in a cell."""
    letters = list(state.letters.values())
    return ROLES[letters.index(symbol) % len(ROLES)] if symbol in letters else MARKS.get(symbol, "")
