"""Becomes a program that runs as root."""

import os

from attack import attack


@attack
def _():
    os.read(0, 4096)  # or it is taken for a password, a wrong one
    os.execv("/usr/bin/su", ["su", "-c", "true"])
