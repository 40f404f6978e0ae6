"""Allocates disk past the end of an empty file, which its size does not tell (here: 200 MB)."""

import ctypes
import os

from attack import bomb, checked, libc, scratch


@bomb
def _():
    file = os.open(f"{scratch}/large", os.O_CREAT | os.O_WRONLY)
    checked(libc.fallocate(file, 1, ctypes.c_long(0), ctypes.c_long(200_000_000)))  # FALLOC_FL_KEEP_SIZE
