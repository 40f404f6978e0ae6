"""What the server writes in its terminal: lines for its organiser, and few of them however often strangers cause one.

It knows no page. The processes of the server begin it once each; a command that the server starts has a log of its own.
"""

import logging
import time
from collections import Counter

MOST_LINES, PERIOD_S = 20, 60.0
"""So many lines of one place in the code are written in a minute; the next one says how many were left out."""
OF_STRANGERS = ("python_multipart", "multipart")
"""Loggers that have a line for each request with a mistake; it is told to whoever sends it, and is no news here."""


class Sparing(logging.Filter):
    """Lets only so many lines of each place pass."""

    def __init__(self) -> None:
        super().__init__()
        self._begun: dict[tuple[str, int], float] = {}
        self._lines: Counter[tuple[str, int]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written; it may get words about others that were not."""
        place, now = (record.pathname, record.lineno), time.monotonic()
        if now - self._begun.setdefault(place, now) >= PERIOD_S:
            left_out = self._lines[place] - MOST_LINES
            if left_out > 0:
                record.msg, record.args = f"{record.getMessage()} (and {left_out} lines like this before)", ()
            self._begun[place], self._lines[place] = now, 0
        self._lines[place] += 1
        return self._lines[place] <= MOST_LINES


def begin() -> None:
    """Write the log of this process to its stderr from now on."""
    handler = logging.StreamHandler()
    handler.addFilter(Sparing())
    logging.getLogger().addHandler(handler)


def ignore_mistakes_of_strangers() -> None:
    """Silence the libraries that log what strangers send."""
    for name in OF_STRANGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
