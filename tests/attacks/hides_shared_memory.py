"""Fills shared memory that no file has, and gives up the pages, which stay (here: 100 MB of 64)."""

import mmap

from attack import bomb, held


@bomb
def _():
    for _ in range(10):
        memory = mmap.mmap(-1, 10_000_000)
        for place in range(0, 10_000_000, 4096):
            memory[place] = 1
        memory.madvise(mmap.MADV_DONTNEED)
        held.append(memory)
