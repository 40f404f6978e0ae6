"""Takes memory as a stack that grows by being touched (here: 100 MB of 64)."""

import ctypes

from attack import bomb, libc

SIZE = 100_000_000


@bomb
def _():
    place = libc.mmap(0, SIZE, 3, 0x20122, -1, 0)  # MAP_STACK, GROWSDOWN, ANONYMOUS, PRIVATE
    if place != -1:
        ctypes.memset(place, 1, SIZE)
