"""Wakes its opponent while that is not asked, so that they share the time of both."""

import os
import signal

from attack import attack, target


@attack
def _():
    os.kill(target.opponent, signal.SIGCONT)
