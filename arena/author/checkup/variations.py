"""Variations of a question that a bot should answer all the same: pure, bytes to pieces of bytes.

Each variation keeps to the protocol. A new one is a function and its line in VARIATIONS. If no
match of the event can have such lines, it also has a line in NEVER_SENT: a bot that fails at it
loses nothing by that, so this is advice.
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

    Arena never sends them: a bot that fails here loses no match, until somebody pipes a file into
    it.
    """
    return (text.replace(b"\n", b"\r\n"),)


def new_words(text: bytes) -> tuple[bytes, ...]:
    """Return the question with lines of a later protocol between its own."""
    body, _, question = text[:-1].rpartition(b"\n")
    return (b"weather sunny 12\n" + body + b"\nnews\nx-later a b c\n" + question + b"\n",)


def no_clock(text: bytes) -> tuple[bytes, ...]:
    """Return the question of an event without limits: a plain `go`, and no figures after `time`."""
    text = re.sub(rb"(?m)^go \d+$", b"go", text)
    return (re.sub(rb"(?m)^time .*$", b"time bank 0", text),)


def in_pieces(text: bytes) -> tuple[bytes, ...]:
    """Return the question in three pieces, cut within a word and before the very last newline."""
    if text.endswith(b"ready?\n"):  # a bot may say `ready` before it is asked
        return (text,)
    middle = len(text) * 2 // 3
    beginning = text[:middle]
    end = text[middle:-1]
    newline = text[-1:]
    return beginning, end, newline


WINDOWS = "lines that end with CR LF"
NEW_WORDS = "words that it does not know"
NO_CLOCK = "no time limit"
PIECES = "questions that arrive in pieces"
VARIATIONS: Mapping[str, Variation] = {
    WINDOWS: carriage_returns,
    NEW_WORDS: new_words,
    NO_CLOCK: no_clock,
    PIECES: in_pieces,
}
NEVER_SENT: Mapping[str, str] = {
    WINDOWS: (
        "it loses no match by this: arena sends LF only. Other tools may not: strip line ends, CR "
        "LF too"
    ),
    NEW_WORDS: (
        "it loses no match by this: no such line comes in this event. A later arena may send "
        "some: pass over lines that begin with a word that it does not know"
    ),
    PIECES: (
        "a match writes a question whole, or its first line and then the rest, and cuts elsewhere "
        "only one of more than 64 kB. Read whole lines all the same, and answer when `go` and its "
        "newline are there"
    ),
    NO_CLOCK: (
        "it loses no match by this: this event limits the time of each answer, and `go` has the "
        "number. In an event without a limit, and with --no-limits, `go` stands alone"
    ),
}
"""The variations that no match of an event with time limits has, with advice on each.

Of questions in pieces a match has one kind, which the plain questions show: early_lines.py.
"""


def of_event(move: float | None) -> tuple[str, ...]:
    """Return the names of the variations for an event.

    An answer may take `move` seconds; None = no limit.
    """
    return tuple(name for name in VARIATIONS if name != NO_CLOCK or move is not None)
