"""Why a live bot gave no answer: a cause, its figures, and the sentence for the bot's author.

These are plain values. The code that observes a failure makes the value and its sentence, once. The
code that gives advice reads the cause and the figures, and never the sentence. A record keeps the
ending and the sentence only (`values.Fault`).
"""

from dataclasses import dataclass
from enum import StrEnum

from arena.clock import TimeUsed
from arena.values import Ending


class Cause(StrEnum):
    """The observed cause for which a bot gave no answer."""

    NOT_STARTED = "not started"
    """The system could not run its command."""
    NO_ANSWER = "no answer"
    """Nothing came by the deadline."""
    ENDED = "ended"
    """Its process ended."""
    OUTPUT_CLOSED = "output closed"
    """It closed its stdout, and ran on."""
    LINE_TOO_LONG = "line too long"

    # Each of the others is a limit that it exceeded.
    MEMORY = "memory"
    CPU = "cpu"
    THREADS = "threads"
    PROCESSES = "processes"
    SCRATCH = "scratch"
    FILES = "files"
    OUTPUT = "output"
    STDERR = "stderr"
    MODEL = "model"


_ENDINGS = {
    Cause.NOT_STARTED: Ending.CRASHED,
    Cause.NO_ANSWER: Ending.TIMEOUT,
    Cause.ENDED: Ending.CRASHED,
    Cause.OUTPUT_CLOSED: Ending.CRASHED,
    Cause.LINE_TOO_LONG: Ending.GARBLED,
}
"""The endings of causes; all others are exceeded limits."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """How a live bot failed to give an answer.

    A figure that does not belong to the cause has its default.
    """

    cause: Cause
    words: str
    """A sentence for the bot's author: what was expected and what came."""
    errno: int = 0
    """NOT_STARTED: the error number of the system."""
    cure: str = ""
    """NOT_STARTED: what the author can do, where the bot's files show the cause for certain."""
    complaint: str = ""
    """ENDED, OUTPUT_CLOSED: the line of its stderr that names its error; not cleaned."""
    spent: TimeUsed = TimeUsed()
    """NO_ANSWER: the time that it took."""
    threads: int = 1
    """NO_ANSWER: the number of threads in its bot.toml."""
    unfinished: int = 0
    """NO_ANSWER, ENDED, OUTPUT_CLOSED: bytes on its stdout that no newline follows, and that are no
    remark."""
    is_utf16: bool = False
    """NO_ANSWER: what it printed looks like UTF-16."""
    exit_code: int | None = None
    """ENDED: the exit code, or minus the number of the signal."""
    short_of_memory: bool = False
    """ENDED, OUTPUT_CLOSED: it may have died of its memory limit."""
    refused_calls: tuple[str, ...] = ()
    """ENDED, OUTPUT_CLOSED: names of system calls that were refused to it, as far as they are
    known."""
    watched: bool = False
    """ENDED, OUTPUT_CLOSED: all refused system calls are known."""

    @property
    def ending(self) -> Ending:
        """The ending that a record has for this cause."""
        return _ENDINGS.get(self.cause, Ending.LIMIT_EXCEEDED)
