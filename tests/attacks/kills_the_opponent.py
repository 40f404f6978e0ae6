"""Sends SIGKILL to its opponent."""

import os

from attack import attack, target


@attack
def _():
    os.kill(target.opponent, 9)
