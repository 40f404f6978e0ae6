"""Stops itself, by every signal that stops; where it can, that is its own fault."""

import contextlib
import os
import signal

from attack import attack


@attack
def _():
    for number in (signal.SIGTTIN, signal.SIGTTOU, signal.SIGTSTP, signal.SIGSTOP):
        with contextlib.suppress(OSError):
            os.kill(os.getpid(), number)
