"""The names of bots as tables and charts show them."""

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from arena import look_alikes
from arena.values import Bot

NAME = 20
"""The letters of a bot's name that a chart shows, and more if they part it from the others."""
KEPT_LETTERS = 4
"""The letters that are kept of a beginning that names share."""
WORD = 8
"""The most letters of a word that are kept before the letter in which names differ."""
CUT = "…"
"""It stands for the letters that a chart does not show."""


def display_names(bots: Iterable[Bot]) -> dict[str, str]:
    """Return the label of each bot, by its name: its display name where it has one.

    No two labels look alike: a name that readers may take for that of another bot has the bot's own
    name behind it.
    """
    entered = tuple(bots)
    looks = look_alikes.groups(name for bot in entered for name in (bot.name, bot.display))
    uses: Counter[str] = Counter()
    for bot in entered:
        uses.update({looks[bot.name], looks[bot.display]})
    labels: dict[str, str] = {}
    for bot in entered:
        if bot.display in ("", bot.name):
            labels[bot.name] = bot.name
        elif uses[looks[bot.display]] == 1:
            labels[bot.name] = bot.display
        else:
            labels[bot.name] = f"{bot.display} ({bot.name})"
    # A display name may also look like the label that another bot was given just now.
    label_looks = look_alikes.groups(labels.values())
    label_uses = Counter(label_looks[label] for label in labels.values())
    distinct: dict[str, str] = {}
    for name, label in labels.items():
        is_shared = label_uses[label_looks[label]] > 1
        distinct[name] = name if is_shared else label
    return distinct


def bot_shown(text: str, bots: Iterable[Bot]) -> str:
    """Return the bot that has this name, or this display name in tables.

    Return the text itself if no bot or several bots have it.
    """
    entered = tuple(bots)
    labels = display_names(entered)
    if text in labels:
        return text
    folded = _folded(text)
    matching: set[str] = set()
    for bot in entered:
        if folded in map(_folded, (bot.name, bot.display, labels[bot.name])):
            matching.add(bot.name)
    return matching.pop() if len(matching) == 1 else text


def _folded(text: str) -> str:
    """Return a name for comparing: its case, its blanks and composed letters make no difference."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def shortened(texts: Sequence[str], length: int = NAME) -> list[str]:
    """Shorten texts in their middle, but never so far that two look alike.

    Where both ends of names are the same, what follows the shared beginning is kept; where that
    does not part them either, the labels grow beyond `length` until it does.
    """
    labels: dict[str, str] = {}
    longest = max(map(len, texts), default=0)
    for size in range(length, longest + length + 1):
        waiting = [text for text in dict.fromkeys(texts) if text not in labels]
        if not waiting:
            break
        candidates = _candidates(waiting, size)
        # The sign of a cut is no letter of a name: names in ASCII stay so.
        all_labels = chain(labels.values(), candidates.values())
        plain = [label.replace(CUT, "...") for label in all_labels]
        looks = look_alikes.groups(plain)
        uses = Counter(looks[label] for label in plain)
        for text, label in candidates.items():
            look = looks[label.replace(CUT, "...")]
            if uses[look] == 1:
                labels[text] = label
    return [labels.get(text, text) for text in texts]


def _candidates(texts: Iterable[str], size: int) -> dict[str, str]:
    """Return a label of at most `size` letters for each text; labels may still be alike."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_ends(text, size), []).append(text)
    candidates: dict[str, str] = {}
    for label, group in alike.items():
        for text in group:
            candidates[text] = label if len(group) == 1 else _differing(text, size, group)
    return candidates


def _ends(text: str, size: int) -> str:
    """Return a text without its middle."""
    if len(text) <= size:
        return text
    tail = (size - 1) // 2
    return f"{text[: size - 1 - tail]}{CUT}{text[len(text) - tail :]}"


def _differing(text: str, size: int, group: list[str]) -> str:
    """Return the beginning of a text, and its rest from where it differs from its group."""
    begin = len(os.path.commonprefix(group))  # noqa: RUF071  of letters, not of folders
    word = begin
    while word > max(KEPT_LETTERS, begin - WORD) and text[word - 1].isalnum():
        word -= 1
    if len(text) <= size or word <= KEPT_LETTERS:
        return _ends(text, size)
    return f"{text[:KEPT_LETTERS]}{CUT}{_ends(text[word:], size - KEPT_LETTERS - 1)}"
