"""Variations of a question that a bot must answer all the same: pure, bytes to pieces of bytes.

Each variation keeps to the protocol. A new one is a function and its line in VARIATIONS.
"""

import re
from collections.abc import Callable, Mapping

Variation = Callable[[bytes], tuple[bytes, ...]]
"""The text of a question -> the pieces that are written, with a pause between them."""


def plain(text: bytes) -> tuple[bytes, ...]:
    """Return the question as the referee wrote it."""
    return (text,)


def carriage_returns(text: bytes) -> tuple[bytes, ...]:
    """Return the question with Windows line ends.

    Arena never sends them: a bot that fails here loses no match, until somebody pipes a file into it.
    """
    return (text.replace(b"\n", b"\r\n"),)


def new_words(text: bytes) -> tuple[bytes, ...]:
    """Return the question with lines of a later protocol between its own."""
    body, question = text[:-1].rpartition(b"\n")[::2]
    return (b"weather sunny 12\n" + body + b"\nnews\nx-later a b c\n" + question + b"\n",)


def no_clock(text: bytes) -> tuple[bytes, ...]:
    """Return the question of an event without time limits: a plain `go`, and no figures after `time`."""
    return (re.sub(rb"(?m)^time .*$", b"time bank 0", re.sub(rb"(?m)^go \d+$", b"go", text)),)


def in_pieces(text: bytes) -> tuple[bytes, ...]:
    """Return the question in three pieces, cut within a word and before the very last newline."""
    if text.endswith(b"ready?\n"):  # a bot may say `ready` before it is asked
        return (text,)
    middle = len(text) * 2 // 3
    return text[:middle], text[middle:-1], text[-1:]


WINDOWS = "lines that end with CR LF"
VARIATIONS: Mapping[str, Variation] = {
    WINDOWS: carriage_returns,
    "words that it does not know": new_words,
    "no time limit": no_clock,
    "questions that arrive in pieces": in_pieces,
}
