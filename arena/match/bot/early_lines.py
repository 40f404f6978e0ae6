"""The lines that a bot prints when no question is open: a line never answers the next question.

It owns when such lines are looked for and thrown away. output.py holds them, and warns of them.
"""

# Theory of operation
# -------------------
# One line answers one `go`. A bot that prints a second line must not have it taken for its next
# answer. There are two cases:
#
# 1. The second line is in the pipe before the next question is written. `before_question` reads the
#    pipe and throws the line away. This costs one poll a turn, and a read only if something is
#    there.
#
# 2. The bot was stopped between the two lines, because arena freezes a bot as soon as it has read
#    its answer. The second line comes out when the bot is woken for the next question, so it
#    arrives behind that `go`. Afterwards nobody can tell the two apart: the bot may have printed
#    the line first, and read the whole question a moment later, before we look. So the question is
#    written in two parts. While only its first line is written (`turn N`), nothing that the bot
#    prints can be an answer; and a bot that has read that line has finished with the question
#    before. Then the pipe is emptied once more and the other lines are written.
#
# The second way adds one switch between two processes to the two that a turn has. So it is used for
# the first PROBED_QUESTIONS of a match, and from then on only for a bot that has printed a line too
# early. A bot that begins later to print second lines may see the first of them taken for its next
# answer (docs/protocol.md says so).
#
# The first line tells the bot nothing worth thinking about, and a frozen bot is charged the CPU
# time that it uses meanwhile, so it gains nothing by reading slowly.

import time
from collections.abc import Callable

from arena.match.bot.output import BotOutput, When
from arena.match.bot.wire import Wire
from arena.protocol import Reply

PROBED_QUESTIONS = 2
"""Questions after `ready?` that are written in two parts to every bot."""
SETTLE_S = 0.025
"""How long a bot has to read the first part: as long as between two looks at frozen bots
(polling.py)."""
SETTLE_PAUSE_S = 0.00005
MOST_READS = 32
"""Reads of a full pipe before a question: a bot that is awake and writes on and on would be read
for ever."""


class EarlyLines:
    """Throws away what one bot printed before a question, and after its last answer."""

    def __init__(self, wire: Wire, output: BotOutput) -> None:
        self._wire = wire
        self._output = output
        self._questions = 0

    @property
    def expected(self) -> bool:
        """Return whether the next question has two parts, or output must be thrown away."""
        return self._questions < PROBED_QUESTIONS or self._output.early or not self._output.empty

    def before_question(self, text: bytes, wake: Callable[[], None]) -> bytes:
        """Throw away the lines for earlier questions.

        Return the part of this question that is still to be written. `wake` lets the bot run, so
        that it can read the first part.
        """
        self.discard()
        self._questions += 1
        if self._questions > PROBED_QUESTIONS and not self._output.early:
            return text
        first = text[: text.find(b"\n") + 1]
        has_one_line = first in (b"", text)
        if has_one_line or self._wire.unread():  # with unread bytes, the bot does not read anyway
            return text
        self._wire.write(first)
        wake()
        until = time.monotonic() + SETTLE_S
        while self._wire.unread() and self._wire.stdout_open and time.monotonic() < until:
            time.sleep(SETTLE_PAUSE_S)
        if self._wire.wait(0):
            self._discard()
        return text[len(first) :]

    def discard(self) -> None:
        """Throw away the lines that are there before anything is asked or answered."""
        if self._wire.wait(0) or not self._output.empty:
            self._discard()

    def after_last(self, reply: Reply | None) -> None:
        """Throw away output that comes when no more answer is wanted.

        There is a warning only if the bot has answered its last question. Otherwise its fault says
        enough.
        """
        data = None
        if self._wire.stdout_open:
            data = self._wire.read()
        has_answered = reply is not None and reply.ending is None
        if has_answered and self._output.excess() is None:
            self._output.take(data or b"")
            self._output.throw_away(When.AFTER_LAST)

    def _discard(self) -> None:
        """Throw away the lines that are there.

        Stop if they are too many: the bot then loses by its next deadline.
        """
        self._output.throw_away()
        for _ in range(MOST_READS):
            if not self._wire.stdout_open or self._output.excess() is not None:
                break
            data = self._wire.read()
            if not data:
                break
            self._output.take(data)
            self._output.throw_away()
        self._output.renew()
