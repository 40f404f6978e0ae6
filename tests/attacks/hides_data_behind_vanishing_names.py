"""Renames small files without end, beside a folder of large ones: who counts them stumbles over a
name that is gone.

Here: 6 files of 3 MB, of the 4 MB that it may have.
"""

import os
import threading

from attack import bomb, scratch

NAMES = 100


def rename():
    while True:
        for number in range(10):
            os.rename(f"{scratch}/a{number}", f"{scratch}/b{number}")
            os.rename(f"{scratch}/b{number}", f"{scratch}/a{number}")


@bomb
def _():
    for number in range(NAMES):
        open(f"{scratch}/a{number}", "w").close()
        os.mkdir(f"{scratch}/d{number}")
    last = [entry.name for entry in os.scandir(scratch) if entry.is_dir()][-1]
    threading.Thread(target=rename, daemon=True).start()
    for number in range(6):
        with open(f"{scratch}/{last}/large{number}", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 3_000_000)
