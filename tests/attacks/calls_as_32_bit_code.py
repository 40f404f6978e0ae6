"""Opens a socket by int 0x80, in machine code that it wrote into memory: other numbers, another
door.
"""

import ctypes

from attack import attack, held, libc

CODE = bytes.fromhex(
    "53 b867010000 bb01000000 b901000000 31d2 cd80 5b c3"
)  # socket(AF_UNIX, SOCK_STREAM, 0)


@attack
def _():
    place = libc.mmap(0, 4096, 7, 0x22, -1, 0)
    ctypes.memmove(place, CODE, len(CODE))
    held.append(ctypes.CFUNCTYPE(ctypes.c_int)(place)())
