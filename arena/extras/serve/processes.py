"""How the site starts its processes: each is a module of this folder that is run as a program.

A round is the one exception: it is the command `arena run`.
"""

import sys
from enum import StrEnum


class SiteProcess(StrEnum):
    """A process that the site starts, by its module."""

    CHARTS = "charts_process"
    CHECK = "check_process"
    HUMAN_MATCH = "human_process"
    REQUEST = "request_process"

    def command(self, *words: str) -> list[str]:
        """Return the command that starts it."""
        return [sys.executable, "-m", f"arena.extras.serve.{self}", *words]


def round_command(*words: str) -> list[str]:
    """Return the command that plays a round of the event, or of another one that the words name."""
    return [sys.executable, "-m", "arena", "run", "--no-charts", "--quiet", *words]
