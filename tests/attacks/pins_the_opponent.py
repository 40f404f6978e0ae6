"""Pins its opponent to one core."""

import os

from attack import attack, target


@attack
def _():
    os.sched_setaffinity(target.opponent, {target.core})
