"""Colour for terminals: SGR codes (ECMA-48). They only repeat what letters and lines say."""

WALL = "34"
DIM = "2"


def paint(text: str, code: str, colour: bool = True) -> str:
    """Return the text in this style; blanks, and text without a style, stay as they are."""
    if not colour or not code or not text or text.isspace():
        return text
    return f"\x1b[{code}m{text}\x1b[0m"
