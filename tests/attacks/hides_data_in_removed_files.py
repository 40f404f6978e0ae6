"""Keeps files open that it has removed: on the disk, and in no folder (here: 6 of 3 MB, of the 4
that it may).
"""

import os

from attack import bomb, held, scratch


@bomb
def _():
    for _ in range(6):
        held.append(os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR))
        os.unlink(f"{scratch}/large")
        os.write(held[-1], bytes(3_000_000))
