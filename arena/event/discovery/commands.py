"""The words of a command, as a bot.toml or a tournament.toml has them. Nothing here runs one."""

import os
import shlex

from arena.sandbox.file_policy import public
from arena.sandbox.toolchain import PYTHON

RUN_PYTHON = (PYTHON, "-s", "-B", "-u")
"""No user site, no byte code beside the bot, no buffer to flush."""
LONGEST = 32 * 1024  # characters: a command must fit into one message to the spawner
MOST_WORDS = 1000  # for the same reason: an empty word takes room too
SHOWN_LETTERS = 80  # of a wrong command that a message repeats


def split(command: object) -> tuple[str, ...]:
    """Return the words of a command, with arena's interpreter for `python`; ValueError with a message for a mistake."""
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"{str(error).lower()}: {_shown(command)}; close the quotation") from error
    elif isinstance(command, list | tuple) and all(isinstance(word, str) for word in command):
        words = list(command)
    else:
        raise ValueError(f"expected a text or a list of words, not {_shown(command)}")
    if len(words) > MOST_WORDS:
        raise ValueError(f"more than {MOST_WORDS} words; put the rest into a file")
    if sum(map(len, words)) > LONGEST:
        raise ValueError(f"longer than {LONGEST} characters; put the rest into a file")
    if not words or not words[0] or "\0" in "".join(words):
        raise ValueError("it is empty, or has a NUL in it; write how the bot is started")
    return (*RUN_PYTHON, *words[1:]) if words[0] in {"python", "python3"} else tuple(words)


def refuse_outside(command: tuple[str, ...]) -> None:
    """Raise ValueError for a stranger's command that names a file of the organiser's.

    It may name the bot's own files and the system's programs. arena lets a bot read what its command names in full, so
    that a tournament.toml can name a program that stands anywhere.
    """
    for word in command:
        if word.startswith("/") and not public(os.path.normpath(word)):
            raise ValueError(f"{_shown(word)} is outside the bot's folder; name a file by its path within it")


def _shown(value: object) -> str:
    """Return a wrong value for a message, cut short."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python prints
        return "a number of thousands of digits"
    return text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 3]}..."
