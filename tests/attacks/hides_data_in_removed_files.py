"""Keeps files open that it has removed: on the disk, and in no folder (here: 6 of 3 MB, of the 4 that it may)."""

import os

from attack import bomb, kept, scratch


@bomb
def _():
    for _ in range(6):
        kept.append(os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR))
        os.unlink(f"{scratch}/large")
        os.write(kept[-1], bytes(3_000_000))
