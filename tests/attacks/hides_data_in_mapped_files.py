"""Maps a page of files that it has filled, removed and closed: on the disk only (here: 6 of 3 MB,
of the 4 it may).
"""

import mmap
import os

from attack import bomb, held, scratch


@bomb
def _():
    for _ in range(6):
        file = os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR)
        os.unlink(f"{scratch}/large")
        os.write(file, bytes(3_000_000))
        held.append(mmap.mmap(file, 4096))
        os.close(file)
