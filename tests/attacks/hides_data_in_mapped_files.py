"""Maps a page of files that it has filled, removed and closed: no folder and no descriptor tells (here: 6 of 15 MB)."""

import mmap
import os

from attack import bomb, kept, scratch


@bomb
def _():
    for _ in range(6):
        file = os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR)
        os.unlink(f"{scratch}/large")
        os.write(file, bytes(15_000_000))
        kept.append(mmap.mmap(file, 4096))
        os.close(file)
