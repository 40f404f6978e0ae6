"""The manual of a game: its rules in words, in which the words of the game stand in backticks.

It knows how such a text is read, and no game.
"""

import re
from collections.abc import Callable

QUOTED = re.compile("`([^`]*)`")
PLACEHOLDER = re.compile("<[^<>]*>")


def words(manual: str) -> tuple[str, ...]:
    """Return the words of the game in a manual, without repeats and in their order.

    Placeholders and numbers are no words of the game.
    """
    quoted = (PLACEHOLDER.sub(" ", each).split() for each in QUOTED.findall(manual))
    return tuple(dict.fromkeys(word for each in quoted for word in each if is_word(word)))


def is_word(text: str) -> bool:
    """Return whether a text is a word that may have another name: a number or a sign is none."""
    return any(map(str.isalpha, text))


def lines(manual: str, word_of: Callable[[str], str] = str) -> tuple[str, ...]:
    """Return the lines of a manual, with another word for each word of the game."""

    def renamed(quoted: re.Match[str]) -> str:
        parts = re.split("(<[^<>]*>| )", quoted[1])
        return f"`{''.join(part if part.startswith('<') else word_of(part) for part in parts)}`"

    stripped = (" ".join(line.split()) for line in manual.splitlines())
    return tuple(QUOTED.sub(renamed, line) for line in stripped if line)
