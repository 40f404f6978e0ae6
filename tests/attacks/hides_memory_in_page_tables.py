"""Reads two pages at the end of each of many gigabytes: they cost no memory, but the tables to find
them do.

Here: some 140 MB, of the 64 MB that it may have. Each look at a page of zeros makes the kernel
allocate up to four pages of its own.
"""

import ctypes

from attack import bomb, libc

GIGABYTE, PAGE = 1 << 30, 4096
PROT_READ, MAP_PRIVATE, MAP_FIXED, MAP_ANONYMOUS = 1, 2, 0x10, 0x20


@bomb
def _():
    libc.mmap.argtypes = (ctypes.c_ulong, ctypes.c_ulong, *[ctypes.c_int] * 3, ctypes.c_long)
    sink = bytearray(1)
    for number in range(1024, 1024 + 12_000):
        place = number * GIGABYTE - PAGE
        if (
            libc.mmap(place, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
            == -1
        ):
            break
        for page in (place, place + PAGE):
            sink[0] = ctypes.c_char.from_address(page).value[0]
