"""Stops its opponent, and all of its group, while it is to move."""

import os
import signal

from attack import attack, target


@attack
def _():
    os.killpg(target.opponent, signal.SIGSTOP)
