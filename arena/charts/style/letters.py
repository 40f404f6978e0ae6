"""Names as a chart shows them: harmless, cut, in letters that some font has; and their widths.

DejaVu comes with matplotlib. A letter that it lacks is taken from another font. Where no font has
it, it is written in Latin letters, or as its number, so that no name is a row of boxes.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from arena.display_names import NAME, shortened
from arena.protocol import clean

FAMILY = "DejaVu Sans"
FALLBACKS = (
    "Noto Sans",
    "WenQuanYi",
    "Droid Sans Fallback",
    "IPA",
    "Nanum",
    "Unifont",
    "FreeSans",
    "Symbola",
    "STIXG",
)
"""The beginnings of the families that may lend a letter; the last comes with matplotlib."""
JOINER = re.compile(r"(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")
"""Joins, or parts, letters of Hindi and Persian, and the pictures of an emoji; it has no shape."""
EMOJI = re.compile(r":([^: ]+):")
"""The name of an emoji, as anyascii writes it."""
ALTERING = ("Mn", "Mc", "Me", "Sk")
"""Categories of marks that alter the letter, or the colour of the emoji, before them."""


def shown(names: Iterable[str], length: int = NAME) -> list[str]:
    """Return names as a chart shows them: harmless, drawable, shortened, and all different."""
    listed = list(names)
    text_of = {name: drawable(name) for name in listed}
    counts = Counter(text_of.values())
    texts = []
    for name in listed:
        text = text_of[name]
        if counts[text] > 1:  # another name is drawn alike
            text = _numbered(clean(name))
        texts.append(text)
    return shortened(texts, length)


def drawable(text: str) -> str:
    """Return a text in letters that a font here has: other words are written in Latin letters.

    An emoji without a font is written by its name, `fire` for U+1F525; a sign without a name by its
    number.
    """
    if text.isascii():
        return clean(text)
    # A letter in two parts, such as an e and its accent, becomes one letter: fonts draw that
    # better.
    composed = unicodedata.normalize("NFC", text)
    cleaned = clean(JOINER.sub("", composed))
    text_to_draw = ""
    after_emoji = False
    for part in _parts(cleaned):
        latin = part
        if not all(_family(letter) for letter in part):
            latin = _latin(part)
        emoji = EMOJI.fullmatch(latin)
        if emoji is not None:
            latin = emoji[1].replace("_", " ")
        beside_emoji = emoji is not None or after_emoji
        parted = text_to_draw.endswith(" ") or latin.startswith(" ")
        if beside_emoji and text_to_draw and latin and not parted:
            text_to_draw += " "
        text_to_draw += latin
        after_emoji = emoji is not None or (after_emoji and not latin)
    return text_to_draw


def _parts(text: str) -> list[str]:
    """Return the words of a text and what stands between them: blanks and signs, each alone."""
    parts: list[str] = []
    after_letter = False
    for letter in text:
        is_letter = unicodedata.category(letter)[0] in "LMN"
        if is_letter and after_letter:
            parts[-1] += letter
        else:
            parts.append(letter)
        after_letter = is_letter
    return parts


def _latin(part: str) -> str:
    """Return a word or a sign in Latin letters.

    A word is transliterated as a whole: a silent mark of Thai or Hindi is nothing without its
    letter.
    """
    from anyascii import anyascii  # its tables are slow to load, and few names need them

    latin = clean(anyascii(part))
    if latin or all(unicodedata.category(letter) in ALTERING for letter in part):
        return latin
    return _numbered(part)


def _numbered(text: str) -> str:
    """Return a text with the numbers of the letters that no font here has."""
    numbered = ""
    for letter in text:
        if _family(letter):
            numbered += letter
        else:
            numbered += letter.encode("ascii", "backslashreplace").decode()
    return numbered


def families(text: str) -> tuple[str, ...]:
    """Return the fonts that have a text's letters; matplotlib falls back on them in this order."""
    lenders = set()
    for letter in text:
        family = _family(letter)
        if family is not None and family != FAMILY:
            lenders.add(family)
    return (FAMILY, *sorted(lenders))


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in inches."""
    font = _font(families(text), bold)
    font.set_size(size, 72)
    font.set_text(text)
    pixels, _ = font.get_width_height()
    return float(pixels) / 64 / 72


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width in inches of the widest of these texts."""
    widths = [width(text, size) for text in texts]
    return max(widths, default=0.0)


# matplotlib falls back from font to font by itself, and does so here when it measures and draws. It
# does not do two things that this module does. It draws a box for a letter that no font has: a name
# of boxes tells no bot from another. And it must be told the fonts: to name every font of a machine
# for every text takes long where there are hundreds, so each text names those few that have its
# letters.
@cache
def _family(letter: str) -> str | None:
    """Return the font that draws a letter; None when there is none."""
    for family in (FAMILY, *_fallbacks()):
        if ord(letter) in _letters_of(family):
            return family
    return None


@cache
def _letters_of(family: str) -> frozenset[int]:
    font = _font((family,), bold=False)
    return frozenset(font.get_charmap())


@cache
def _fallbacks() -> tuple[str, ...]:
    """Return the families of this machine that may lend a letter.

    matplotlib cannot draw fonts of coloured pictures.
    """
    families_here = set()
    for font in font_manager.fontManager.ttflist:
        if "Color" not in font.name:
            families_here.add(font.name)
    names = sorted(families_here)
    fallbacks = []
    for beginning in FALLBACKS:
        fallbacks += [name for name in names if name.startswith(beginning)]
    return tuple(fallbacks)


def _font(names: tuple[str, ...], bold: bool) -> FT2Font:
    """Return matplotlib's own font object; matplotlib keeps it, and opens it anew in a fork."""
    weight = "normal"
    if bold:
        weight = "bold"
    paths = []
    for name in names:
        properties = font_manager.FontProperties(family=[name], weight=weight)
        paths.append(font_manager.findfont(properties))
    return font_manager.get_font(paths)
