"""Cuts a file outside short by its path."""

import os

from attack import attack, target


@attack
def _():
    os.truncate(target.canary, 1)
