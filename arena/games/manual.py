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
    words: dict[str, None] = {}  # a set that keeps the order
    for quoted in QUOTED.findall(manual):
        without_placeholders = PLACEHOLDER.sub(" ", quoted)
        for text in without_placeholders.split():
            if is_word(text):
                words[text] = None
    return tuple(words)


def is_word(text: str) -> bool:
    """Return whether a text is a word that may have another name: a number or a sign is not."""
    return any(map(str.isalpha, text))


def lines(manual: str, word_of: Callable[[str], str] = str) -> tuple[str, ...]:
    """Return the lines of a manual, with another word for each word of the game."""

    def renamed(quoted: re.Match[str]) -> str:
        parts = re.split("(<[^<>]*>| )", quoted[1])
        new_parts = []
        for part in parts:
            if part.startswith("<"):  # a placeholder
                new_parts.append(part)
            else:
                new_parts.append(word_of(part))
        text = "".join(new_parts)
        return f"`{text}`"

    renamed_lines = []
    for line in manual.splitlines():
        stripped = " ".join(line.split())
        if stripped:
            renamed_line = QUOTED.sub(renamed, stripped)
            renamed_lines.append(renamed_line)
    return tuple(renamed_lines)
