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
    names: list[str] = []
    for bot in entered:
        names += [bot.name, bot.display]
    looks = look_alikes.groups(names)
    uses: Counter[str] = Counter()
    for bot in entered:
        looks_of_bot = {looks[bot.name], looks[bot.display]}
        uses.update(looks_of_bot)

    labels: dict[str, str] = {}
    for bot in entered:
        look = looks[bot.display]
        if bot.display in ("", bot.name):
            labels[bot.name] = bot.name
        elif uses[look] == 1:
            labels[bot.name] = bot.display
        else:
            labels[bot.name] = f"{bot.display} ({bot.name})"

    # A display name may also look like the label that another bot was given just now.
    label_looks = look_alikes.groups(labels.values())
    label_uses = Counter(label_looks[label] for label in labels.values())
    distinct: dict[str, str] = {}
    for name, label in labels.items():
        look = label_looks[label]
        if label_uses[look] > 1:
            distinct[name] = name
        else:
            distinct[name] = label
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
        names = (bot.name, bot.display, labels[bot.name])
        if folded in map(_folded, names):
            matching.add(bot.name)
    if len(matching) == 1:
        return matching.pop()
    return text


def _folded(text: str) -> str:
    """Return a name for comparing: its case, its blanks and composed letters make no difference."""
    composed = unicodedata.normalize("NFC", text)
    return " ".join(composed.casefold().split())


def shortened(texts: Sequence[str], length: int = NAME) -> list[str]:
    """Shorten texts in their middle, but never so far that two look alike.

    Where both ends of names are the same, what follows the shared beginning is kept; where that
    does not part them either, the labels grow beyond `length` until it does.
    """
    labels: dict[str, str] = {}
    longest = max(map(len, texts), default=0)
    different_texts = dict.fromkeys(texts)
    for size in range(length, longest + length + 1):
        waiting = [text for text in different_texts if text not in labels]
        if not waiting:
            break

        candidates = _candidates(waiting, size)
        # The sign of a cut is no letter of a name: names in ASCII stay so.
        all_labels = chain(labels.values(), candidates.values())
        plain = [label.replace(CUT, "...") for label in all_labels]
        looks = look_alikes.groups(plain)
        uses = Counter(looks[label] for label in plain)
        for text, label in candidates.items():
            plain_label = label.replace(CUT, "...")
            look = looks[plain_label]
            if uses[look] == 1:
                labels[text] = label
    return [labels.get(text, text) for text in texts]


def _candidates(texts: Iterable[str], size: int) -> dict[str, str]:
    """Return a label of at most `size` letters for each text; labels may still be alike."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        label = _ends(text, size)
        group = alike.setdefault(label, [])
        group.append(text)

    candidates: dict[str, str] = {}
    for label, group in alike.items():
        if len(group) == 1:
            candidates[group[0]] = label
            continue
        for text in group:
            candidates[text] = _differing(text, size, group)
    return candidates


def _ends(text: str, size: int) -> str:
    """Return a text without its middle."""
    if len(text) <= size:
        return text
    tail = (size - 1) // 2
    head = size - 1 - tail
    beginning = text[:head]
    end = text[len(text) - tail :]
    return f"{beginning}{CUT}{end}"


def _differing(text: str, size: int, group: list[str]) -> str:
    """Return the beginning of a text, and its rest from where it differs from its group."""
    begin = len(os.path.commonprefix(group))  # noqa: RUF071  of letters, not of folders
    earliest = max(KEPT_LETTERS, begin - WORD)
    word = begin
    while word > earliest and text[word - 1].isalnum():
        word -= 1
    if len(text) <= size or word <= KEPT_LETTERS:
        return _ends(text, size)
    beginning = text[:KEPT_LETTERS]
    end = _ends(text[word:], size - KEPT_LETTERS - 1)
    return f"{beginning}{CUT}{end}"
