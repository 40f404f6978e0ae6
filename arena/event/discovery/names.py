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

from arena import look_alikes
from arena.errors import ArenaError

DISPLAY_LETTERS = 60
NAME_LETTERS = 40


def display(real: str) -> str:
    """Return a display name: one line of printable text, composed, whose length fits a table."""
    return look_alikes.visible(real)[:DISPLAY_LETTERS].rstrip()


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
        small_letters = name.lower()
        if small_letters in returned:
            name = distinct(name, used)
        names.append(name)
        returned.add(small_letters)
    return names


def unambiguous(people: Sequence[tuple[str, str]]) -> list[str]:
    """Return the name for each name and id, with the id behind it if another name looks alike."""
    looks = look_alikes.groups(name for name, _ in people)
    uses = Counter(looks[name] for name, _ in people)
    names = []
    for name, identifier in people:
        look = looks[name]
        if identifier and uses[look] > 1:
            name = f"{name} ({identifier})"
        names.append(name)
    return names


def latin(real: str) -> str:
    """Return a text in Latin letters."""
    if real.isascii():
        return real
    from anyascii import anyascii  # its tables are slow to load, and few names need them

    return anyascii(unicodedata.normalize("NFC", real))


def refuse_look_alike(name: str, others: Iterable[str], cure: str) -> None:
    """Raise ArenaError, which ends with `cure`, if a name looks like another name of `others`."""
    for other in others:
        if look_alikes.look_alike(name, other):
            raise ArenaError(
                f"{name!r} ({name!a}) looks like {other!r} ({other!a}), "
                f"which is another name: {cure}"
            )


def words(real: str) -> frozenset[str]:
    """Return the words of a name, for comparing: `Müller, Anna` has those of `anna muller`."""
    if not real.strip():
        return frozenset()
    name = safe(real).replace("_", " ").lower()
    found = re.findall(r"[a-z0-9@.]+", name)
    return frozenset(found)


def numbered(name: str, number: int) -> str:
    """Return a bot's name with a number, for a second bot of the same name."""
    ending = f"-{number}"
    room = NAME_LETTERS - len(ending)
    beginning = name[:room].rstrip("._-")
    return beginning + ending


def without_number(name: str) -> str:
    """Return a bot's name without the number that `numbered` added."""
    return re.sub(r"-[0-9]+$", "", name)
