"""Cuts a file outside short by opening it with O_RDONLY and O_TRUNC."""

import os

from attack import attack, target


@attack
def _():
    os.open(target.canary, os.O_RDONLY | os.O_TRUNC)
