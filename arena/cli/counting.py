"""How far something long is, on stderr: a line that is written over on a terminal, else a line now and then.

What is quick says nothing.
"""

import contextlib
import sys
from time import monotonic
from types import TracebackType
from typing import Self

from arena.cli import screen

QUICK = 1.0  # seconds
TERMINAL, PIPE = 0.2, 10.0  # seconds between two lines


class Counting:
    """Hears how many of how many are done."""

    def __init__(self, what: str) -> None:
        self._what, self._terminal = what, sys.stderr.isatty() and screen.colourful(sys.stderr)
        self._due = monotonic() + QUICK
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """So many are done."""
        if (now := monotonic()) < self._due:
            return
        self._due = now + (TERMINAL if self._terminal else PIPE)
        self._write(f"{self._what}: {done} of {total} ({100 * done // max(1, total)} %)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and self._terminal:
            self._write("")

    def _write(self, text: str) -> None:
        self._shown = True
        if not self._terminal:
            screen.notice(text)
            return
        with contextlib.suppress(OSError):
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
