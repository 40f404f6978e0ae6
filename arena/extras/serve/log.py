"""The log of the server in its terminal: few lines, however often strangers cause them.

It knows no page. Each process of the server calls `begin` once; a command that the server starts
has a log of its own.
"""

import logging
import time
from collections import Counter

MOST_LINES = 20
"""The most lines of one statement of the code in a period; the next line counts the others."""
PERIOD_S = 60.0
OF_STRANGERS = ("python_multipart", "multipart")
"""Loggers that write a line for each request with a mistake, which the answer names already."""


class RepeatLimit(logging.Filter):
    """Lets only MOST_LINES of each statement pass in PERIOD_S seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._begun: dict[tuple[str, int], float] = {}
        self._lines: Counter[tuple[str, int]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written; add to it how many others were not."""
        statement = (record.pathname, record.lineno)
        now = time.monotonic()
        begun = self._begun.setdefault(statement, now)
        if now - begun >= PERIOD_S:
            left_out = self._lines[statement] - MOST_LINES
            if left_out > 0:
                record.msg = f"{record.getMessage()} (and {left_out} lines like this before)"
                record.args = ()
            self._begun[statement] = now
            self._lines[statement] = 0
        self._lines[statement] += 1
        return self._lines[statement] <= MOST_LINES


def begin() -> None:
    """Write the log of this process to its stderr from now on."""
    handler = logging.StreamHandler()
    handler.addFilter(RepeatLimit())
    logging.getLogger().addHandler(handler)


def ignore_mistakes_of_strangers() -> None:
    """Silence the libraries that log what strangers send."""
    for name in OF_STRANGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
