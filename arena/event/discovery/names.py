"""Names of people and names of bots: any name of a person becomes the name of a bot.

A bot's name has letters, digits and `. _ -` only, because it stands in file names, tables, commands
and logs. The real name of its author is its display name: data, never a path or a key. anyascii
writes other scripts in Latin letters. It knows all of Unicode and has no dependencies.
text-unidecode, which python-slugify needs, knows only the first plane and has had no release since
2019, and our own table would be wrong for some scripts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from arena.errors import ArenaError

VARIATION_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))
BLANK = VARIATION_SELECTORS | frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that are printable by Unicode, and invisible."""
DISPLAY_LETTERS = 60
NAME_LETTERS = 40


def display(real: str) -> str:
    """Return a display name: one line of printable text, composed, whose length fits a table."""
    letters = []
    for letter in unicodedata.normalize("NFC", real):
        is_visible = letter.isprintable() and letter not in BLANK
        letters.append(letter if is_visible else " ")
    text = " ".join("".join(letters).split())
    return text[:DISPLAY_LETTERS].rstrip()


def safe(real: str) -> str:
    """Return the bot's name for a real name, in Latin letters with `_` between words.

    It is `bot` for a name without any letter or digit.
    """
    name = re.sub(r"['`]", "", latin(real))
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
    name = name.strip("._-")[:NAME_LETTERS].rstrip("._-")
    return name or "bot"


def distinct(name: str, used: set[str]) -> str:
    """Return a name for a file that is not `used`, with a number if necessary, and add it there."""
    candidate = name
    number = 1
    while candidate.lower() in used:
        number += 1
        candidate = f"{name}-{number}"
    used.add(candidate.lower())  # some file systems do not tell `Ada` from `ada`
    return candidate


def all_distinct(wanted: Sequence[str]) -> list[str]:
    """Return distinct names for files: a name that is repeated gets a number."""
    used = {name.lower() for name in wanted}
    returned: set[str] = set()
    names: list[str] = []
    for name in wanted:
        is_repeated = name.lower() in returned
        names.append(distinct(name, used) if is_repeated else name)
        returned.add(name.lower())
    return names


def unambiguous(people: Sequence[tuple[str, str]]) -> list[str]:
    """Return the name for each name and id, with the id behind it if others have the name, too."""
    uses = Counter(name.casefold() for name, _ in people)
    names = []
    for name, identifier in people:
        is_shared = uses[name.casefold()] > 1
        names.append(f"{name} ({identifier})" if identifier and is_shared else name)
    return names


def latin(real: str) -> str:
    """Return a text in Latin letters."""
    if real.isascii():
        return real
    from anyascii import anyascii  # its tables are slow to load, and few names need them

    return anyascii(unicodedata.normalize("NFC", real))


def look_alike(name: str, other: str) -> bool:
    """Return whether two different names look the same, for example by a Cyrillic A.

    They do if they have the same skeleton (Unicode TR39). Names in ASCII never do: `rn` looks like
    `m` in some fonts, but honest people type both.
    """
    if name == other or (name.isascii() and other.isascii()):
        return False
    return skeleton(name) == skeleton(other)


def refuse_look_alike(name: str, others: Iterable[str], cure: str) -> None:
    """Raise ArenaError, which ends with `cure`, if a name looks like another name of `others`."""
    for other in others:
        if look_alike(name, other):
            raise ArenaError(
                f"{name!r} ({name!a}) looks like {other!r} ({other!a}), "
                f"which is another name: {cure}"
            )


def skeleton(text: str) -> str:
    """Return a text that is the same for all names that look the same."""
    letters = unicodedata.normalize("NFD", display(text))
    return unicodedata.normalize("NFD", "".join(map(_prototype, letters))).casefold()


@cache
def _prototype(letter: str) -> str:
    """Return the text that stands for all letters that look like this letter."""
    # It is imported here because its table takes 0.1 s to load, and few names need it. The table
    # lists the one text that replaces a letter; or, for a letter that replaces others, all of
    # these. The first letter in the order of Unicode stands for all.
    from confusable_homoglyphs.confusables import confusables_data

    def similar(text: str) -> list[str]:
        return [row["c"] for row in confusables_data.get(text, ())]

    texts = similar(letter)
    if len(texts) == 1:
        if len(texts[0]) > 1:
            return texts[0]
        texts += similar(texts[0])
    letters = [text for text in texts if len(text) == 1]
    return min([letter, *letters])


def words(real: str) -> frozenset[str]:
    """Return the words of a name, for comparing: `Müller, Anna` has those of `anna muller`."""
    if not real.strip():
        return frozenset()
    name = safe(real).replace("_", " ").lower()
    return frozenset(re.findall(r"[a-z0-9@.]+", name))


def numbered(name: str, number: int) -> str:
    """Return a bot's name with a number, for a second bot of the same name."""
    ending = f"-{number}"
    return name[: NAME_LETTERS - len(ending)].rstrip("._-") + ending
