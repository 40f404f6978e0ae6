"""The output of a bot: finds the line that answers, and sets the other lines aside.

This file is pure: bytes go in, lines and warnings come out. It limits how much is kept. It reads no
pipe, knows no time, and does not know which moves are legal. early_lines.py decides when a second
line is thrown away.
"""

from enum import StrEnum
from typing import NamedTuple

from arena import protocol
from arena.failure import Cause, Failure
from arena.match.bot.postmortem import Printed
from arena.protocol import LINE_LIMIT
from arena.sandbox.watchdog import size

REMARKS_KEPT = 20
"""Remarks of one turn that are recorded."""
WARNINGS_KEPT = 20
"""Warnings of one match that are recorded."""
SHOWN_BYTES = 1024
"""The beginning of a line that is decoded for a remark or a warning; both are cut to 200
characters."""
FIRST_LINES = 2
"""The number of lines that answered nothing, of which a sentence quotes the beginning. It quotes
the last one, too."""
LOG_BYTES = 16 * 1024
"""The end of stderr that is recorded."""


class When(StrEnum):
    """The moment at which a line was printed that answers nothing."""

    BEFORE_READY = "before `ready`"
    BEFORE_ASKED = "before it was asked"
    AFTER_LAST = "after its last answer"


class Discarded(NamedTuple):
    """A line that answers nothing."""

    text: str
    """The line, cleaned, so that it is harmless to show."""
    when: When

    def __str__(self) -> str:
        return f'thrown away, printed {self.when}: "{self.text}"'


class BotOutput:
    """The lines of one bot's stdout, in order of arrival."""

    def __init__(self, most: int | None) -> None:
        """`most` is the limit of bytes in one turn; None = no limit."""
        self._most = most
        self._bytes = bytearray()
        self._size = 0
        """The number of bytes since the last answer."""
        self._remarks: list[bytes] = []
        self.discarded: list[Discarded] = []
        """The first WARNINGS_KEPT lines that answered nothing."""
        self._discarded_count = 0
        self._answered_count = 0
        """The number of these lines until the last answer."""
        self._first: list[bytes] = []
        """The first lines since then that are not blank."""
        self._last = b""
        """The last of them."""
        self.early = False
        """True when a line has ever been there before its question."""

    @property
    def empty(self) -> bool:
        """True when no byte is waiting to be looked at."""
        return not self._bytes

    @property
    def unfinished(self) -> bytes:
        """The bytes that no newline follows yet."""
        return bytes(self._bytes)

    def take(self, data: bytes) -> None:
        """Add output of the bot."""
        self._bytes += data
        self._size += len(data)

    def renew(self) -> None:
        """Begin a new question: the limit of its output counts from here."""
        self._size = 0

    def throw_away(self, when: When = When.BEFORE_ASKED) -> None:
        """Set aside every whole line. A line without its newline may still become an answer."""
        lines, newline, unfinished = self._bytes.rpartition(b"\n")
        if newline:
            before = self._discarded_count
            self._set_aside(bytes(lines), when)
            self.early |= self._discarded_count > before
            self._bytes = bytearray(unfinished)

    def answer_in(self, data: bytes, *, ready: bool) -> bytes | None:
        """Add output, and return the first line that answers, or None.

        The lines behind it stay for later.
        """
        self.take(data)
        start = 0
        answer = None
        end = self._bytes.find(b"\n")
        while start <= end <= start + LINE_LIMIT:
            line = bytes(self._bytes[start:end])
            start = end + 1
            if line.startswith(b"#") or (ready and line.strip(b" \t\r") not in protocol.READY):
                self._set_aside(line, When.BEFORE_READY)
            else:
                answer = line
                break
            end = self._bytes.find(b"\n", start)
        del self._bytes[:start]
        if answer is not None:
            self._size = len(self._bytes)
            self._answered_count = self._discarded_count
            self._first = []
            self._last = b""
        return answer

    def printed(self) -> Printed:
        """Return what it has printed since its last answer."""
        remark = None
        if self._remarks:
            remark = self._remarks[0]
        return Printed(
            lines=self._discarded_count - self._answered_count,
            first=tuple(self._first),
            last=self._last,
            remark=remark,
            unfinished=self.unfinished,
        )

    def excess(self) -> Failure | None:
        """Return the failure of a bot that has printed too much without an answer.

        Return None while it has not.
        """
        # Answers were taken out, so these bytes begin with a line that is too long.
        if len(self._bytes) > LINE_LIMIT:
            text = f"a line of more than {LINE_LIMIT} bytes"
            return Failure(cause=Cause.LINE_TOO_LONG, words=text)
        if self._most is not None and self._size > self._most:
            text = f"output: more than {self._most} bytes in one turn"
            return Failure(cause=Cause.OUTPUT, words=text)
        return None

    def remarks(self) -> tuple[str, ...]:
        """Return the remarks since the last call."""
        if not self._remarks:
            return ()
        remarks = tuple(map(protocol.read_remark, self._remarks))
        self._remarks = []
        return remarks

    def warnings(self) -> tuple[str, ...]:
        """Return a sentence for each of the first lines that answered nothing.

        The last sentence has the number of the others.
        """
        sentences = [str(line) for line in self.discarded]
        more = self._discarded_count - len(self.discarded)
        if more:
            sentences.append(f"and {more} more")
        return tuple(sentences)

    def _set_aside(self, lines: bytes, when: When) -> None:
        """Keep remarks, and warn of the other lines.

        The lines of a flood are counted and not looked at: it may consist of newlines only.
        """
        count = lines.count(b"\n") + 1
        remarks = lines.count(b"\n#") + lines.startswith(b"#")
        self._discarded_count += count - remarks
        last = lines[lines.rfind(b"\n") + 1 :]
        if last.strip() and not last.startswith(b"#"):
            self._last = last[:SHOWN_BYTES]

        first_lines = lines.split(b"\n", WARNINGS_KEPT)[:WARNINGS_KEPT]
        for line in first_lines:
            beginning = line[:SHOWN_BYTES]
            if line.startswith(b"#"):
                if len(self._remarks) < REMARKS_KEPT:
                    self._remarks.append(beginning)
                continue
            if len(self._first) < FIRST_LINES and line.strip():
                self._first.append(beginning)
            if len(self.discarded) < WARNINGS_KEPT:
                text = beginning.decode("utf-8", "backslashreplace")
                discarded = Discarded(protocol.clean(text), when)
                self.discarded.append(discarded)


class BotLog:
    """The end of one bot's stderr."""

    def __init__(self, most: int | None) -> None:
        """`most` is the limit of bytes in a match; None = no limit."""
        self._most = most
        self._size = 0
        self._end = bytearray()

    def __bytes__(self) -> bytes:
        return bytes(self._end)

    @property
    def text(self) -> str:
        """The last LOG_BYTES, decoded; not cleaned."""
        return self._end.decode("utf-8", "replace")

    def take(self, data: bytes) -> Failure | None:
        """Add output of the bot; return a failure when it is more than a match allows."""
        self._end += data
        del self._end[:-LOG_BYTES]
        self._size += len(data)
        if self._most is None or self._size <= self._most:
            return None
        return Failure(cause=Cause.STDERR, words=f"stderr: more than {size(self._most)} in a match")
