"""Allocates disk past the end of an empty file, which its size does not tell (here: 50 MB of 4)."""

import ctypes
import os

from attack import bomb, checked, libc, scratch


@bomb
def _():
    file = os.open(f"{scratch}/large", os.O_CREAT | os.O_WRONLY)
    checked(
        libc.fallocate(file, 1, ctypes.c_long(0), ctypes.c_long(50_000_000))
    )  # FALLOC_FL_KEEP_SIZE
