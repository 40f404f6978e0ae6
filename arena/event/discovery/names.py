"""Names of people and names of bots: any name of a person becomes the name of a bot.

A bot's name has letters, digits and `. _ -` only, because it stands in file names, tables, commands and logs. The real
name of its author is its display name: data, never a path or a key. anyascii writes other scripts in Latin letters: it
knows all of Unicode (text-unidecode, which python-slugify needs, knows the first plane and nobody has maintained it
since 2019), has no dependencies, and a table of our own would be wrong for somebody.
"""

import re
import unicodedata

DISPLAY_LETTERS = 60
NAME_LETTERS = 40


def display(real: str) -> str:
    """Return a name as it is shown: one line of printable text, composed, of a length that fits a table."""
    text = unicodedata.normalize("NFC", real)
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())[:DISPLAY_LETTERS].rstrip()


def safe(real: str) -> str:
    """Return the bot's name for a real name: in Latin letters, with `_` between words; `bot` when nothing is left."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", re.sub(r"['`]", "", latin(real)))
    return name.strip("._-")[:NAME_LETTERS].rstrip("._-") or "bot"


def latin(real: str) -> str:
    """Return a text in Latin letters."""
    if real.isascii():
        return real
    from anyascii import anyascii  # its tables are slow to load, and few names need them

    return anyascii(unicodedata.normalize("NFC", real))


def words(real: str) -> frozenset[str]:
    """Return the words of a name in any order, for comparing: `Müller, Anna` has those of `anna muller`."""
    return frozenset(re.findall(r"[a-z0-9@.]+", safe(real).replace("_", " ").lower())) if real.strip() else frozenset()


def numbered(name: str, number: int) -> str:
    """Return a bot's name with a number, for a second bot of the same name."""
    ending = f"-{number}"
    return name[: NAME_LETTERS - len(ending)].rstrip("._-") + ending
