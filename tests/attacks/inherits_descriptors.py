"""Reads from every descriptor that it was born with."""

import os

from attack import attack, tell


@attack
def _():
    for descriptor in range(3, 4096):
        try:
            os.fstat(descriptor)
            tell(os.pread(descriptor, 1000, 0))
        except OSError:
            continue
