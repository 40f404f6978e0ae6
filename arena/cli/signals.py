"""The signals that end a run: they set a flag, nothing else, so that whatever finished is stored first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Whether a signal has asked for the end, and which."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def code(self) -> int:
        """The exit code that shells expect after this signal."""
        return 0 if self.signal is None else 128 + self.signal

    def hear(self, number: int, _frame: FrameType | None) -> None:
        """The signal handler; the first signal counts, more of them change nothing."""
        self.signal = self.signal or signal.Signals(number)


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
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
