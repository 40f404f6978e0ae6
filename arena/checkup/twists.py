"""Ways to ask the same question that a bot must not stumble over: pure, bytes to pieces of bytes.

Each twist keeps to the protocol. A new one is a function and its line in TWISTS.
"""

import re
from collections.abc import Callable, Mapping

Twist = Callable[[bytes], tuple[bytes, ...]]
"""A question's text -> the pieces that are written, with a pause between them."""


def plain(text: bytes) -> tuple[bytes, ...]:
    """As the referee wrote it."""
    return (text,)


def carriage_returns(text: bytes) -> tuple[bytes, ...]:
    """As on Windows. Arena never does so: a bot that stumbles loses nothing, until somebody pipes a file into it."""
    return (text.replace(b"\n", b"\r\n"),)


def new_words(text: bytes) -> tuple[bytes, ...]:
    """With lines of a later protocol in between."""
    body, question = text[:-1].rpartition(b"\n")[::2]
    return (b"weather sunny 12\n" + body + b"\nnews\nx-later a b c\n" + question + b"\n",)


def no_clock(text: bytes) -> tuple[bytes, ...]:
    """As where there is no time limit: a plain `go`, and no figures after `time`."""
    return (re.sub(rb"(?m)^time .*$", b"time bank 0", re.sub(rb"(?m)^go \d+$", b"go", text)),)


def in_pieces(text: bytes) -> tuple[bytes, ...]:
    """Cut within a word, and once more before the very last newline."""
    if text.endswith(b"ready?\n"):  # `ready` counts however early it is said
        return (text,)
    middle = len(text) * 2 // 3
    return text[:middle], text[middle:-1], text[-1:]


WINDOWS = "lines that end with CR LF"
TWISTS: Mapping[str, Twist] = {
    WINDOWS: carriage_returns,
    "words that it does not know": new_words,
    "no time limit": no_clock,
    "questions that arrive in pieces": in_pieces,
}
"""Every twist, by what the bot was confronted with."""
