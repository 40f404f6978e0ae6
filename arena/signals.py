"""The signals that end a command, in order: what it has opened is closed.

While matches are played they set a flag, so that finished matches are stored.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SAME_REQUEST_S = 0.2
"""A shell or `make` may pass on a Ctrl-C that the terminal sent, too. Signals within this time are
one request to end."""
SHOW_CURSOR = "\x1b[?25h"
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(BaseException):
    """Raised by SIGTERM and by a closed terminal, as KeyboardInterrupt is by Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number
        """The exit code that shells expect after this signal."""


class InterruptedNow(BaseException):
    """Raised by a signal where nothing needs to be finished first; caught by `listening`."""


class Interrupt:
    """Holds the signal that asked for the end; True once there was one."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._raises = False
        self._since = 0.0

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def code(self) -> int:
        """The exit code that shells expect after this signal."""
        return 0 if self.signal is None else 128 + self.signal

    @contextmanager
    def aborting(self) -> Iterator[None]:
        """Let a signal abort the `with listening()` block during this `with`.

        The work of this `with` can be repeated. A signal that came before aborts it, too.
        """
        if self:
            raise InterruptedNow
        self._raises = True
        try:
            yield
        finally:
            self._raises = False

    def hear(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal: the first asks for an orderly end, a second one ends the process.

        Its workers end with it, and stored matches stay stored.
        """
        if self.signal is None:
            self.signal = signal.Signals(number)
            self._since = time.monotonic()
            if self._raises:
                raise InterruptedNow
        elif time.monotonic() - self._since > SAME_REQUEST_S:
            if sys.stderr.isatty():
                os.write(sys.stderr.fileno(), SHOW_CURSOR.encode())
            os._exit(self.code)


@contextmanager
def listening() -> Iterator[Interrupt]:
    """Let Ctrl-C, SIGTERM and a closed terminal set a flag.

    A signal that is ignored (nohup) stays ignored.
    """
    interrupt = Interrupt()
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt.hear)
    try:
        yield interrupt
    except InterruptedNow:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_in_order() -> None:
    """Let SIGTERM and a closed terminal raise Terminated, so that the command removes what it made.

    Python handles Ctrl-C alone, and dies of these two. A second one ends the process at once. A
    signal that is ignored (nohup) stays ignored.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


def _terminate(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    raise Terminated(number)
