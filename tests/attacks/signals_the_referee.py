"""Sends a signal to the referee."""

import os
import signal

from attack import attack, target


@attack
def _():
    os.kill(target.referee, signal.SIGUSR1)
