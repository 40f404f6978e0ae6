"""What came out of a bot's stdout: find the line that answers, set the others aside, cap everything.

Pure: bytes in, lines and words out. It reads no pipe, knows no time, and does not know whether a line is a legal move.
"""

from arena import protocol
from arena.bot import postmortem
from arena.match import Ending
from arena.protocol import LINE_LIMIT

REMARKS_KEPT = 20  # a turn
WARNINGS_KEPT = 20  # a match


class Inbox:
    """The lines of one bot, in order of arrival."""

    def __init__(self, most: int | None) -> None:
        """`most` bytes may come in one turn; None = however many."""
        self._most = most
        self._bytes = bytearray()
        self._size = 0  # bytes since the last question
        self._remarks: list[str] = []
        self._warnings: list[str] = []
        self._thrown = 0

    @property
    def empty(self) -> bool:
        """Whether nothing stands there."""
        return not self._bytes

    @property
    def rest(self) -> bytes:
        """What stands there and is no line yet."""
        return bytes(self._bytes)

    def take(self, data: bytes) -> None:
        """More output."""
        self._bytes += data
        self._size += len(data)

    def renew(self) -> None:
        """A new question: what may be said to it is counted from here."""
        self._size = 0

    def throw_away(self) -> None:
        """Set aside every whole line: nobody asked for it. A half line may yet become an answer."""
        lines, newline, rest = self._bytes.rpartition(b"\n")
        if newline:
            self._set_aside(bytes(lines), "before it was asked")
            self._bytes = bytearray(rest)

    def answer_in(self, data: bytes, *, ready: bool) -> bytes | None:
        """More output, and the first line that answers, if there is one."""
        if not self._bytes and data.find(b"\n") == len(data) - 1 < LINE_LIMIT and data[:1] not in b"#" and not ready:
            return data[:-1]  # one whole line and no more, as it nearly always is
        self.take(data)
        return self.answer(ready=ready)

    def answer(self, *, ready: bool) -> bytes | None:
        """The first line that answers, if there is one; what stands behind it stays for later."""
        start = 0
        found = None
        while found is None and 0 <= (end := self._bytes.find(b"\n", start)) <= start + LINE_LIMIT:
            line = bytes(self._bytes[start:end])
            start = end + 1
            if line.startswith(b"#") or (ready and line.strip(b" \t\r") not in protocol.READY):
                self._set_aside(line, "before `ready`")
            else:
                found = line
        del self._bytes[:start]
        return found

    def excess(self) -> tuple[Ending, str] | None:
        """How there is too much of it without an answer, if there is."""
        if len(self._bytes) > LINE_LIMIT:  # whole lines were taken: this is one line, or the first one is too long
            return Ending.GARBLED, f"a line of more than {LINE_LIMIT} bytes"
        if self._most is not None and self._size > self._most:
            return Ending.LIMIT_EXCEEDED, f"output: more than {self._most} bytes in one turn"
        return None

    def remarks(self) -> tuple[str, ...]:
        """Take the remarks since they were last taken."""
        if not self._remarks:
            return ()
        taken, self._remarks = tuple(self._remarks), []
        return taken

    def warnings(self) -> tuple[str, ...]:
        """Every line that was no answer to anything, in words; the first ones, and how many more there were."""
        more = self._thrown - len(self._warnings)
        return (*self._warnings, *([f"and {more} more"] if more else []))

    def _set_aside(self, lines: bytes, when: str) -> None:
        """Remarks are kept and the others warned of; a flood is counted, not looked at: it may be all newlines."""
        self._thrown += lines.count(b"\n") + 1 - lines.count(b"\n#") - lines.startswith(b"#")
        for line in lines.split(b"\n", WARNINGS_KEPT)[:WARNINGS_KEPT]:
            if not line.startswith(b"#"):
                if len(self._warnings) < WARNINGS_KEPT:
                    self._warnings.append(postmortem.thrown_away(line, when))
            elif len(self._remarks) < REMARKS_KEPT:
                self._remarks.append(protocol.read_remark(line[:1024]))
