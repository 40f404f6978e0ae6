"""Puts one byte of each of its large pages into a pipe (vmsplice) and unmaps them: the pipe holds
whole pages.
"""

import ctypes
import mmap
import os
import struct

from attack import attack, call, held

LARGE = 1 << 21


@attack
def _():
    held.extend(os.pipe())
    for _ in range(4):
        memory = mmap.mmap(-1, 2 * LARGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(mmap.MADV_HUGEPAGE)
        memory[0] = memory[LARGE] = 1
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        call("vmsplice", held[-1], struct.pack("QQ", address + LARGE, 1), 1, 0)
