"""Changes the time of a file outside."""

import os

from attack import attack, target


@attack
def _():
    os.utime(target.canary, (1, 1))
