"""Names of people and names of bots: any name of a person becomes the name of a bot.

A bot's name has letters, digits and `. _ -` only, because it stands in file names, tables, commands
and logs. The real name of its author is its display name: data, never a path or a key. anyascii
writes other scripts in Latin letters: it knows all of Unicode (text-unidecode, which python-slugify
needs, knows the first plane and nobody has maintained it since 2019), has no dependencies, and a
table of our own would be wrong for somebody.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, count

from arena.errors import ArenaError

BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    *map(chr, range(0xFE00, 0xFE10))
}
"""Letters and marks that Unicode calls printable, and that nobody sees."""
DISPLAY_LETTERS = 60
NAME_LETTERS = 40


def display(real: str) -> str:
    """Return a name as it is shown: one line of printable text, composed, of a length that fits a table."""
    text = unicodedata.normalize("NFC", real)
    text = "".join(
        letter if letter.isprintable() and letter not in BLANK else " " for letter in text
    )
    return " ".join(text.split())[:DISPLAY_LETTERS].rstrip()


def safe(real: str) -> str:
    """Return the bot's name for a real name: in Latin letters, with `_` between words; `bot` when nothing is left."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", re.sub(r"['`]", "", latin(real)))
    return name.strip("._-")[:NAME_LETTERS].rstrip("._-") or "bot"


def distinct(name: str, used: set[str]) -> str:
    """Return a name for a file that none of the `used` ones has, with a number if necessary, and add it to them."""
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    distinct = next(each for each in names if each.lower() not in used)
    used.add(distinct.lower())  # some file systems do not tell `Ada` from `ada`
    return distinct


def all_distinct(wanted: Sequence[str]) -> list[str]:
    """Return the names for files; one that comes again has a number, and no name that is wanted besides."""
    used, given, result = {name.lower() for name in wanted}, set[str](), list[str]()
    for name in wanted:
        result.append(distinct(name, used) if name.lower() in given else name)
        given.add(name.lower())
    return result


def unambiguous(people: Sequence[tuple[str, str]]) -> list[str]:
    """Return for each name and id the name alone, or with the id behind it where others have that name, too."""
    counted = Counter(name.casefold() for name, _ in people)
    return [
        f"{name} ({id_})" if id_ and counted[name.casefold()] > 1 else name for name, id_ in people
    ]


def latin(real: str) -> str:
    """Return a text in Latin letters."""
    if real.isascii():
        return real
    from anyascii import anyascii  # its tables are slow to load, and few names need them

    return anyascii(unicodedata.normalize("NFC", real))


def look_alike(name: str, other: str) -> bool:
    """Return whether two different names look the same, as with a Cyrillic A: they have one skeleton (Unicode TR39).

    Names in ASCII are never alike: `rn` looks like `m` in some fonts, but both are typed by honest
    people.
    """
    if name == other or (name.isascii() and other.isascii()):
        return False
    return skeleton(name) == skeleton(other)


def refuse_look_alike(name: str, others: Iterable[str], cure: str) -> None:
    """Raise ArenaError, which ends with what to do, if a name looks like one of the others and is none of them."""
    for other in others:
        if look_alike(name, other):
            raise ArenaError(
                f"{name!r} ({name!a}) looks like {other!r} ({other!a}), which is another name: {cure}"
            )


def skeleton(text: str) -> str:
    """Return a text that is the same for all names that look the same."""
    letters = unicodedata.normalize("NFD", display(text))
    return unicodedata.normalize("NFD", "".join(map(_prototype, letters))).casefold()


@cache
def _prototype(letter: str) -> str:
    # Imported here because its table takes 0.1 s to load, and few names need it. It lists for a
    # letter what it is replaced by, or for a letter that stands for others all of these: the first
    # of them stands for all.
    from confusable_homoglyphs.confusables import confusables_data

    def like(text: str) -> list[str]:
        return [row["c"] for row in confusables_data.get(text, ())]

    found = like(letter)
    if len(found) == 1 and len(found[0]) > 1:
        return found[0]
    if len(found) == 1:
        found = [*found, *like(found[0])]
    return min(each for each in (letter, *found) if len(each) == 1)


def words(real: str) -> frozenset[str]:
    """Return the words of a name in any order, for comparing: `Müller, Anna` has those of `anna muller`."""
    return (
        frozenset(re.findall(r"[a-z0-9@.]+", safe(real).replace("_", " ").lower()))
        if real.strip()
        else frozenset()
    )


def numbered(name: str, number: int) -> str:
    """Return a bot's name with a number, for a second bot of the same name."""
    ending = f"-{number}"
    return name[: NAME_LETTERS - len(ending)].rstrip("._-") + ending
