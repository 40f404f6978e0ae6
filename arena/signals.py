"""The signals that end a command in an orderly way: it closes and removes what it has opened.

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
LAST_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Those at which Python dies at once; for Ctrl-C it raises an exception."""
SHOW_CURSOR = "\x1b[?25h"
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(SystemExit):
    """Raised by SIGTERM and by a closed terminal, as KeyboardInterrupt is by Ctrl-C.

    Its `code` is the exit code that shells expect. asyncio takes a SystemExit out of any task to
    whoever waits for the loop; any other exception would end the task alone.
    """


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


@contextmanager
def terminating() -> Iterator[None]:
    """Let SIGTERM and a closed terminal raise Terminated, so that a command removes what it made.

    Another signal, after that, ends the process as soon as Python runs its code. A signal that is
    ignored (nohup) stays ignored.
    """
    interrupt = Interrupt()

    def hear(number: int, frame: FrameType | None) -> None:
        is_first = not interrupt
        interrupt.hear(number, frame)
        if is_first:
            raise Terminated(interrupt.code)

    heard = []
    for number in LAST_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            heard.append(number)
    for number in heard:
        signal.signal(number, hear)
    try:
        yield
    finally:
        if not interrupt:  # or else a repeated signal would end what removes the last folders
            for number in heard:
                signal.signal(number, signal.SIG_DFL)
