"""The same, in mappings of /dev/zero."""

import mmap
import os

from attack import bomb, held


@bomb
def _():
    zero = os.open("/dev/zero", os.O_RDWR)
    for _ in range(10):
        memory = mmap.mmap(zero, 10_000_000)
        for place in range(0, 10_000_000, 4096):
            memory[place] = 1
        memory.madvise(mmap.MADV_DONTNEED)
        held.append(memory)
