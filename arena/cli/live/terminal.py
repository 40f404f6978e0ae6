"""The terminal as a full screen: frames out, single keys in, and everything restored afterwards.

It owns the terminal's modes, its second screen and the cursor, and gives them back at the end,
after a traceback, after a signal that raises, and while the command is suspended (Ctrl-Z). It knows
nothing of matches.

Arena uses no library for this, because each would cost more than it saves. Textual and
prompt_toolkit put the terminal into raw mode, where Ctrl-C is a key and no signal, and bring an
event loop, while here the referee's loop runs; to import them takes 0.2 and 0.1 s of CPU.
prompt_toolkit's decoder of keys alone takes as long, and needs a table of names like
`SEQUENCE_KEYS`. blessed has single keys and a second screen, but does not give the terminal back at
Ctrl-Z, and raises an error at a terminal that is gone.
"""

import os
import re
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SECOND_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[2J"
"""Switch to the second screen, hide the cursor, clear."""
FIRST_SCREEN = "\x1b[0m\x1b[?25h\x1b[?1049l"
KEY_BYTES_S = 0.05
"""The rest of a key's bytes follows within these seconds; an escape byte alone is the escape
key."""
RESIZE_CHECK_S = 0.25

SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])")
"""The bytes of a key that is no letter (ECMA-48 CSI, or SS3)."""
UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;?]*|O)?$")
SEQUENCE_KEYS = {
    "A": "up",
    "B": "down",
    "C": "right",
    "D": "left",
    "H": "home",
    "F": "end",
    "1~": "home",
    "4~": "end",
    "7~": "home",
    "8~": "end",
    "5~": "page up",
    "6~": "page down",
    "3~": "delete",
}
CONTROL_KEYS = {
    b"\r": "enter",
    b"\n": "enter",
    b"\x1b": "escape",
    b" ": "space",
    b"\x7f": "backspace",
    b"\x08": "backspace",
    b"\x04": "ctrl-d",
    b"\x15": "ctrl-u",
}


def is_usable() -> bool:
    """Return True if keys and frames work here; elsewhere a command reads and prints lines."""
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        return False
    return os.environ.get("TERM", "dumb") != "dumb"


def decode(data: bytes, *, complete: bool = False) -> tuple[list[str], bytes]:
    """Return the keys that were pressed, and the bytes of an unfinished one.

    A printable character is its own name; a key without a name here is left out. With `complete` no
    more bytes are on their way, so that a lone escape is the escape key.
    """
    keys: list[str] = []
    while data:
        sequence = SEQUENCE.match(data)
        if sequence is not None:
            code = sequence[0][2:].decode("ascii")
            plain_code = re.sub(r"^1;\d", "", code)
            name = SEQUENCE_KEYS.get(plain_code, "")
            data = data[sequence.end() :]
        elif not complete and UNFINISHED.match(data):
            break
        else:
            size = _character_bytes(data[0])
            if len(data) < size and not complete:
                break
            character = data[:size]
            data = data[size:]
            text = character.decode("utf-8", "ignore")
            if not text.isprintable():
                text = ""
            name = CONTROL_KEYS.get(character, text)
        if name:
            keys.append(name)
    return keys, data


def _character_bytes(first: int) -> int:
    """Return the number of bytes of a character in UTF-8, by the first of them."""
    if first >= 0xF0:
        return 4
    if first >= 0xE0:
        return 3
    if first >= 0xC0:
        return 2
    return 1


class Terminal:
    """Draws frames and reads keys; made by `full_screen`."""

    def __init__(self) -> None:
        self._in = sys.stdin.fileno()
        self._out = sys.stdout
        self._modes = termios.tcgetattr(self._in)
        self._unfinished = b""
        self._keys: list[str] = []
        self._frame: tuple[tuple[int, int], list[str]] | None = None
        self._gone = False

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        size = shutil.get_terminal_size()
        return size.columns, size.lines

    def draw(self, lines: Iterable[str]) -> None:
        """Show a frame, a line for each row, none wider than the terminal.

        An unchanged frame costs nothing.
        """
        size = self.size
        rows = list(lines)
        frame = (size, rows)
        if frame == self._frame:
            return
        height = size[1]
        text = "\x1b[K\r\n".join(rows[:height])
        self._write(f"\x1b[H{text}\x1b[K\x1b[J")
        self._frame = frame

    def key(self, seconds: float | None = None) -> str | None:
        """Return the next key, None when none came in time, or `ctrl-d` when the terminal is gone.

        It waits no longer than RESIZE_CHECK_S, so that the caller can draw for a new size: be ready
        for None.
        """
        wait_s = RESIZE_CHECK_S
        if seconds is not None:
            wait_s = min(seconds, RESIZE_CHECK_S)
        if not self._keys and self._has_input(wait_s):
            self._keys += self._read_keys()
        if not self._keys:
            return None
        return self._keys.pop(0)

    def _read_keys(self) -> list[str]:
        """Return the keys whose bytes have come, and wait for the rest of an unfinished key."""
        data = self._read()
        if not data:
            return ["ctrl-d"]
        keys, self._unfinished = decode(self._unfinished + data)
        while self._unfinished and self._has_input(KEY_BYTES_S):
            data = self._read()
            if not data:
                break
            later_keys, self._unfinished = decode(self._unfinished + data)
            keys += later_keys
        last_keys, self._unfinished = decode(self._unfinished, complete=True)
        return keys + last_keys

    def take(self) -> None:
        """Switch to single keys without echo; Ctrl-C and Ctrl-Z stay signals."""
        with suppress(termios.error):
            tty.setcbreak(self._in, termios.TCSADRAIN)
        self._frame = None
        self._write(SECOND_SCREEN)

    def give_back(self) -> None:
        """Restore the first screen, the cursor and the modes."""
        self._write(FIRST_SCREEN)
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._in, termios.TCSADRAIN, self._modes)

    def suspend(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-Z: give the terminal to the shell, and take it again afterwards."""
        del frame
        self.give_back()
        handler = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, handler)
        self.take()

    def _has_input(self, seconds: float) -> bool:
        timeout = max(0.0, seconds)
        readable, _, _ = select.select([self._in], [], [], timeout)
        return bool(readable)

    def _read(self) -> bytes:
        try:
            return os.read(self._in, 1024)
        except OSError:
            return b""

    def _write(self, text: str) -> None:
        """Write to the terminal until it is gone."""
        if not self._gone:
            try:
                self._out.write(text)
                self._out.flush()
            except OSError:
                self._gone = True


@contextmanager
def full_screen() -> Iterator[Terminal]:
    """Take the terminal for the length of the block."""
    terminal = Terminal()
    before = signal.signal(signal.SIGTSTP, terminal.suspend)
    try:
        terminal.take()
        yield terminal
    finally:
        terminal.give_back()
        signal.signal(signal.SIGTSTP, before)
