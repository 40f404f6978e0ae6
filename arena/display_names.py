"""The names of bots as tables and charts show them."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

from arena.values import Bot


def display_names(bots: Iterable[Bot]) -> dict[str, str]:
    """Return the label of each bot, by its name: its display name where it has one; no two labels are alike."""
    entered = tuple(bots)
    used = Counter(text for bot in entered for text in {bot.name.casefold(), bot.display.casefold()} - {""})
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
    """Return the bot that has this name, or this display name in tables; the text itself if none or several have."""
    entered = tuple(bots)
    shown = display_names(entered)
    if text in shown:
        return text
    wanted = _folded(text)
    found = {
        bot.name for bot in entered if wanted in {_folded(bot.name), _folded(bot.display), _folded(shown[bot.name])}
    }
    return found.pop() if len(found) == 1 else text


def _folded(text: str) -> str:
    """Return a name for comparing: case, blanks and the way in which a letter is composed make no difference."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
