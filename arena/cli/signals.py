"""The signals that end a run: while matches are played they set a flag, so that whatever finished is stored first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedNow(BaseException):
    """Raised by a signal where nothing needs to be finished first; caught by `listening`."""


class Stop:
    """Whether a signal has asked for the end, and which."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._raises = False

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def code(self) -> int:
        """The exit code that shells expect after this signal."""
        return 0 if self.signal is None else 128 + self.signal

    def at_once(self) -> None:
        """From now on a signal leaves the `with listening()` wherever it is: all that is left can be done again."""
        self._raises = True

    def hear(self, number: int, _frame: FrameType | None) -> None:
        """The signal handler; the first signal counts, more of them change nothing."""
        first = self.signal is None
        self.signal = self.signal or signal.Signals(number)
        if self._raises and first:
            raise StoppedNow


@contextmanager
def listening() -> Iterator[Stop]:
    """Have Ctrl-C, SIGTERM and a closed terminal set a flag; a signal that is ignored (nohup) stays ignored."""
    stop = Stop()
    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop.hear)
    try:
        yield stop
    except StoppedNow:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
