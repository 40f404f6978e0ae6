"""A terminal of one's own for a while: whole frames out, single keys in, and everything as it was afterwards.

It owns modes, the second screen and the cursor, and gives them back however it is left: at the end, by a traceback, by
a signal that raises, and while the command is suspended (Ctrl-Z). It knows nothing of matches.
"""

import os
import select
import shutil
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from arena.cli.live.keyboard import decode

ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"
"""The second screen, no cursor, nothing on it."""
LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"
BETWEEN = 0.05
"""Seconds in which the rest of a key's bytes follows; escape alone is a key too."""
GLANCE = 0.25
"""Seconds after which the size is looked at again."""


def able() -> bool:
    """Whether keys and frames are to be had here; else there are lines, in and out."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class Terminal:
    """Draws frames and reads keys; made by `taken`."""

    def __init__(self) -> None:
        self._in, self._out = sys.stdin.fileno(), sys.stdout
        self._before = termios.tcgetattr(self._in)
        self._rest = b""
        self._keys: list[str] = []
        self._shown: tuple[object, ...] = ()
        self._gone = False

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        found = shutil.get_terminal_size()
        return found.columns, found.lines

    def draw(self, lines: Iterable[str]) -> None:
        """Show a frame, one text a row, none wider than the terminal; the same frame again costs nothing."""
        frame = (self.size, *lines)
        if frame != self._shown:
            rows = "\x1b[K\r\n".join(str(line) for line in frame[1:][: self.size[1]])
            self._write(f"\x1b[H{rows}\x1b[K\x1b[J")
            self._shown = frame

    def key(self, seconds: float | None = None) -> str | None:
        """The next key, None when none came in time, or `ctrl-d` when the terminal is gone.

        Waits no longer than it takes to see that the size has changed, so be ready for None at any time.
        """
        until = GLANCE if seconds is None else min(seconds, GLANCE)
        if not self._keys and self._ready(until):
            self._read()
        return self._keys.pop(0) if self._keys else None

    def pause(self, seconds: float) -> None:
        """Leave the frame standing for a moment; keys that are pressed meanwhile are not lost."""
        time.sleep(seconds)

    def take(self) -> None:
        """Single keys, unechoed; signals stay with Ctrl-C and Ctrl-Z."""
        with suppress(termios.error):
            tty.setcbreak(self._in, termios.TCSADRAIN)
        self._shown = ()
        self._write(ENTER)

    def give_back(self) -> None:
        """As it was."""
        self._write(LEAVE)
        with suppress(termios.error):  # it is gone
            termios.tcsetattr(self._in, termios.TCSADRAIN, self._before)

    def suspend(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the shell gets its terminal, and we take it again afterwards."""
        del frame
        self.give_back()
        handler = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, handler)
        self.take()

    def _ready(self, seconds: float) -> bool:
        return bool(select.select([self._in], [], [], max(0.0, seconds))[0])

    def _read(self) -> None:
        data = self._some()
        keys, self._rest = decode(self._rest + data)
        while self._rest and self._ready(BETWEEN) and (more := self._some()):
            further, self._rest = decode(self._rest + more)
            keys += further
        last, self._rest = decode(self._rest, complete=True)
        self._keys += [*keys, *last] if data else ["ctrl-d"]

    def _some(self) -> bytes:
        try:
            return os.read(self._in, 1024)
        except OSError:
            return b""

    def _write(self, text: str) -> None:
        """Onto a terminal that may be gone; once it is, never again."""
        if not self._gone:
            try:
                self._out.write(text)
                self._out.flush()
            except OSError:
                self._gone = True


@contextmanager
def taken() -> Iterator[Terminal]:
    """The terminal, ours for the length of the block."""
    terminal = Terminal()
    before = signal.signal(signal.SIGTSTP, terminal.suspend)
    try:
        terminal.take()
        yield terminal
    finally:
        terminal.give_back()
        signal.signal(signal.SIGTSTP, before)
