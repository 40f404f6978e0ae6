"""The names of bots as tables and charts show them."""

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from arena.values import Bot

NAME = 20  # letters of a bot's name that a chart shows, or as many more as part it from the others
KEPT_LETTERS = 4  # letters that are kept of a beginning that names share
WORD = 8  # letters at most of a word that are kept before the letter in which names differ


def display_names(bots: Iterable[Bot]) -> dict[str, str]:
    """Return the label of each bot, by its name: its display name where it has one.

    No two labels are alike.
    """
    entered = tuple(bots)
    used = Counter(
        text for bot in entered for text in {bot.name.casefold(), bot.display.casefold()} - {""}
    )
    names: dict[str, str] = {}
    for bot in entered:
        if bot.display in ("", bot.name):
            names[bot.name] = bot.name
        elif used[bot.display.casefold()] == 1:
            names[bot.name] = bot.display
        else:
            names[bot.name] = f"{bot.display} ({bot.name})"
    # A display name may also look like the label that another bot was given just now.
    alike = Counter(label.casefold() for label in names.values())
    return {name: label if alike[label.casefold()] == 1 else name for name, label in names.items()}


def bot_shown(text: str, bots: Iterable[Bot]) -> str:
    """Return the bot that has this name, or this display name in tables.

    The text itself if none or several have.
    """
    entered = tuple(bots)
    shown = display_names(entered)
    if text in shown:
        return text
    wanted = _folded(text)
    found = {
        bot.name
        for bot in entered
        if wanted in {_folded(bot.name), _folded(bot.display), _folded(shown[bot.name])}
    }
    return found.pop() if len(found) == 1 else text


def _folded(text: str) -> str:
    """Return a name for comparing: case, blanks and the way in which a letter is composed make no difference."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def shortened(texts: Sequence[str], length: int = NAME) -> list[str]:
    """Shorten texts in their middle, but never so far that two become alike.

    Where both ends of names are the same, what follows the shared beginning is kept; where that
    does not part them either, the labels grow beyond `length` until it does.
    """
    labels: dict[str, str] = {}
    for size in range(length, max(map(len, texts), default=0) + length + 1):
        alike: dict[str, list[str]] = {}
        for text in dict.fromkeys(texts):
            if text not in labels:
                alike.setdefault(_ends(text, size), []).append(text)
        candidates = {text: label for label, group in alike.items() for text in group}
        candidates |= {
            text: _differing(text, size, group)
            for group in alike.values()
            if len(group) > 1
            for text in group
        }
        uses = Counter([*labels.values(), *candidates.values()])
        labels |= {text: label for text, label in candidates.items() if uses[label] == 1}
    return [labels.get(text, text) for text in texts]


def _ends(text: str, size: int) -> str:
    """Return a text without its middle."""
    if len(text) <= size:
        return text
    tail = (size - 1) // 2
    return f"{text[: size - 1 - tail]}…{text[len(text) - tail :]}"


def _differing(text: str, size: int, group: list[str]) -> str:
    """Return the first letters of a text, and those from the word in which it differs from others of its group."""
    begin = len(os.path.commonprefix(group))  # noqa: RUF071  of letters, not of folders
    word = begin
    while word > max(KEPT_LETTERS, begin - WORD) and text[word - 1].isalnum():
        word -= 1
    if len(text) <= size or word <= KEPT_LETTERS:
        return _ends(text, size)
    return f"{text[:KEPT_LETTERS]}…{_ends(text[word:], size - KEPT_LETTERS - 1)}"
