"""Texts that look alike: the same to a reader, and different letters to a computer.

Letters of two scripts may have one shape, such as the Latin and the Cyrillic A; some letters have
no shape at all; and an accent may be part of its letter or a letter behind it. Skeletons follow
Unicode TR39, whose table comes with confusable_homoglyphs.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cache
from itertools import chain

FIRST_SELECTORS = range(0xFE00, 0xFE10)
MORE_SELECTORS = range(0xE0100, 0xE01F0)
VARIATION_SELECTORS = frozenset(map(chr, chain(FIRST_SELECTORS, MORE_SELECTORS)))
WITHOUT_SHAPE = VARIATION_SELECTORS | frozenset("\u034f\u115f\u1160\u17b4\u17b5")
"""Letters and marks that are printable by Unicode, and take no room on a line."""
BLANK = WITHOUT_SHAPE | frozenset("\u2800\u3164\uffa0")
"""Letters and marks that are printable by Unicode, and invisible."""
SECOND_DOT = re.compile("(?<=[ij])\u0307")
"""A dot above a letter that already has one."""


def visible(text: str) -> str:
    """Return a text as one line, composed, with a blank for whatever is invisible."""
    letters = []
    for letter in unicodedata.normalize("NFC", text):
        if letter.isprintable() and letter not in BLANK:
            letters.append(letter)
        else:
            letters.append(" ")
    line = "".join(letters)
    words = line.split()
    return " ".join(words)


def look_alike(name: str, other: str) -> bool:
    """Return whether two different names look the same, for example by a Cyrillic A.

    They do if they have the same skeleton (Unicode TR39). Names in ASCII never do: `rn` looks like
    `m` in some fonts, but honest people type both.
    """
    if name == other:
        return False
    if name.isascii() and other.isascii():
        return False
    return skeleton(name) == skeleton(other)


def skeleton(text: str) -> str:
    """Return a text that is the same for all names that look the same."""
    shaped = []
    for letter in text:
        has_shape = letter not in WITHOUT_SHAPE and unicodedata.category(letter) != "Cf"
        if has_shape:
            shaped.append(letter)
    line = visible("".join(shaped))
    decomposed = unicodedata.normalize("NFKD", line)
    letters = SECOND_DOT.sub("", decomposed)
    prototypes = "".join(map(_prototype, letters))
    return unicodedata.normalize("NFD", prototypes).casefold()


def groups(texts: Iterable[str]) -> dict[str, str]:
    """Return a key for each text, which it shares with the texts that nobody tells from it.

    These are the texts that differ by case alone, and those that look alike where at least one has
    letters beyond ASCII.
    """
    keys = {text: text.casefold() for text in texts}
    if all(map(str.isascii, keys)):
        return keys  # most events: the table of letters that look alike takes 0.1 s to load
    for spelling in (str, str.lower, str.upper):  # some letters look alike as capitals alone
        members: dict[str, list[str]] = defaultdict(list)
        for text in keys:
            spelled = spelling(text)
            shape = skeleton(spelled)
            members[shape].append(text)
        for alike in members.values():
            if all(map(str.isascii, alike)):
                continue
            keys_of_alike = {keys[text] for text in alike}
            _join(keys, keys_of_alike)
    return keys


def _join(keys: dict[str, str], joined: Collection[str]) -> None:
    """Give all texts that have one of these keys the same key."""
    if len(joined) < 2:
        return
    key = min(joined)
    for text in keys:
        if keys[text] in joined:
            keys[text] = key


@cache
def _prototype(letter: str) -> str:
    """Return the text that stands for all letters that look like this letter."""
    # It is imported here because its table takes 0.1 s to load, and few names need it. The table
    # lists the one text that replaces a letter; or, for a letter that replaces others, all of
    # these. The first letter in the order of Unicode stands for all.
    from confusable_homoglyphs.confusables import confusables_data

    def similar(text: str) -> list[str]:
        rows = confusables_data.get(text, ())
        return [row["c"] for row in rows]

    texts = similar(letter)
    if len(texts) == 1:
        replacement = texts[0]
        if len(replacement) > 1:
            return replacement
        texts += similar(replacement)
    letters = [text for text in texts if len(text) == 1]
    letters.append(letter)
    return min(letters)
