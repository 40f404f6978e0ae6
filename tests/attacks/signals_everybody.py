"""Sends a signal to every process that it may (kill -1)."""

import os
import signal

from attack import attack


@attack
def _():
    os.kill(-1, signal.SIGURG)
