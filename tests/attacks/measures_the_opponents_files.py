"""Asks for the size of a file of its opponent: metadata only."""

import os

from attack import attack, target, tell


@attack
def _():
    tell("size", os.stat(target.opponent_file).st_size)
