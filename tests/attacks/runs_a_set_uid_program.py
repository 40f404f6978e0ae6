"""Becomes a program that runs as root."""

import os

from attack import attack


@attack
def _():
    os.execv("/usr/bin/su", ["su", "-c", "true"])
