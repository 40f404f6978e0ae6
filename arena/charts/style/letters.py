"""Names as a chart shows them: harmless, cut, in letters that some font here has, and how wide they are.

DejaVu comes with matplotlib. A letter that it lacks is taken from another font where there is one, and else written as
its number, so that no name is a row of boxes.
"""

import os
from collections.abc import Iterable
from functools import cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from arena.protocol import clean

FAMILY = "DejaVu Sans"
FALLBACKS = ("Noto Sans", "WenQuanYi", "Droid Sans Fallback", "IPA", "Nanum", "Unifont", "FreeSans", "Symbola", "STIXG")
"""How the names of the families begin that may lend a letter; the last comes with matplotlib."""
NAME = 20  # letters of a bot's name that a chart shows


def shown(names: Iterable[str], length: int = NAME) -> list[str]:
    """Names as a chart shows them: with nothing in them that is not to be seen, and cut."""
    return [name if len(name) <= length else f"{name[: length - 1]}…" for name in map(told, names)]


def told(text: str) -> str:
    """A text in letters that can be drawn here."""
    cleaned = clean(text)
    if cleaned.isascii():
        return cleaned
    return "".join(
        letter if _family(letter) else letter.encode("ascii", "backslashreplace").decode() for letter in cleaned
    )


def families(text: str) -> tuple[str, ...]:
    """The fonts that have the letters of this text."""
    lent = sorted({family for letter in text if (family := _family(letter))} - {FAMILY})
    return (FAMILY, *lent)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How many inches a text takes."""
    font = _font(FAMILY, bold)
    font.set_size(size, 72)
    font.set_text(text if text.isascii() else "".join(letter if _known(letter) else "WW" for letter in text))
    return float(font.get_width_height()[0]) / 64 / 72


def widest(texts: Iterable[str], size: float) -> float:
    """How many inches the widest of these takes."""
    return max((width(text, size) for text in texts), default=0.0)


@cache
def _family(letter: str) -> str | None:
    """The font that draws a letter; None when there is none."""
    if _known(letter):
        return FAMILY
    return next((name for name in _fallbacks() if ord(letter) in _font(name, bold=False).get_charmap()), None)


def _known(letter: str) -> bool:
    return ord(letter) in _charmap()


@cache
def _charmap() -> frozenset[int]:
    return frozenset(_font(FAMILY, bold=False).get_charmap())


@cache
def _fallbacks() -> tuple[str, ...]:
    """The families of this machine that may lend a letter; pictures in colours are no letters."""
    found = {font.name for font in font_manager.fontManager.ttflist if "Color" not in font.name}
    return tuple(name for begin in FALLBACKS for name in sorted(found) if name.startswith(begin))


@cache
def _font(family: str, bold: bool) -> FT2Font:
    properties = font_manager.FontProperties(family=[family], weight="bold" if bold else "normal")
    return FT2Font(font_manager.findfont(properties))


# A fork shares the place in an open file with its parent and its siblings, and letters are read from it one by one.
os.register_at_fork(after_in_child=_font.cache_clear)
