"""Takes memory that no limit of the system counts: a shared mapping (here: 100 MB of 64)."""

import mmap

from attack import bomb, held


@bomb
def _():
    held.append(mmap.mmap(-1, 100_000_000))
    for place in range(0, 100_000_000, 4096):
        held[0][place] = 1
