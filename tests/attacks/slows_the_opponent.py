"""Gives its opponent the lowest priority."""

import os

from attack import attack, target


@attack
def _():
    os.setpriority(os.PRIO_PROCESS, target.opponent, 19)
