"""The progress of a long task, on stderr: one line that changes, or in a pipe a line now and then.

A quick task prints nothing. rich.progress is not used here: it has no lines for a pipe, no delay
before its first line, and it takes longer to import than most of these tasks take.
"""

import contextlib
import sys
from time import monotonic
from types import TracebackType
from typing import Self

from arena.cli import output

QUICK_S = 1.0
TERMINAL_INTERVAL_S = 0.2
PIPE_INTERVAL_S = 10.0


class ProgressLine:
    """Prints the number of finished parts of a task; a context manager that ends the line.

    With `begins` a terminal shows the title at once, for a task whose parts nobody counts.
    """

    def __init__(self, title: str, *, begins: bool = False) -> None:
        self._begins = begins
        self._title = title
        self._terminal = sys.stderr.isatty() and output.wants_colour(sys.stderr)
        self._due = monotonic() + QUICK_S
        self._shown = False
        self._last = (0, 0)
        """The parts that are done, and all of them."""

    def __call__(self, done: int, total: int) -> None:
        """Print how many are done, if a line is due."""
        self._last = (done, total)
        now = monotonic()
        if now < self._due:
            return
        interval = PIPE_INTERVAL_S
        if self._terminal:
            interval = TERMINAL_INTERVAL_S
        self._due = now + interval
        percent = output.percent_done(done, total)
        self._write(f"{self._title}: {done} of {total} ({percent} %)")

    def __enter__(self) -> Self:
        if self._begins and self._terminal:
            self._write(f"{self._title} ...")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown and self._terminal:
            self._write("")
        elif self._shown and error is None:
            # In a pipe the earlier lines stay, and would seem to have no end.
            done, total = self._last
            self._write(f"{self._title}: done, {done} of {total}")

    def _write(self, text: str) -> None:
        self._shown = True
        if not self._terminal:
            output.notice(text)
            return
        with contextlib.suppress(OSError):
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
