"""Kills itself, by a signal to its process or thread, or a limit on CPU time; where it can, that is
its own fault.
"""

import contextlib
import os
import resource
import signal

from attack import attack


@attack
def _():
    for attempt in (
        lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)),
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: signal.raise_signal(signal.SIGKILL),
    ):
        with contextlib.suppress(OSError, ValueError):
            attempt()
    while resource.getrlimit(resource.RLIMIT_CPU)[0] == 1:
        pass
