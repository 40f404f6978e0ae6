"""Removes a file outside."""

import os

from attack import attack, target


@attack
def _():
    os.unlink(target.canary)
