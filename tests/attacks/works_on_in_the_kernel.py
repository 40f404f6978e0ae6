"""Has sixteen threads in a call that works on two gigabytes before it looks for signals
(MADV_POPULATE_READ).
"""

import ctypes
import threading
import time

from attack import attack, libc

SIZE, POPULATE_READ = 2 << 30, 22
PROT_READ, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 0x20


begin = threading.Event()


def populate(place):
    begin.wait()
    until = time.monotonic() + 0.3  # the rest of it is what is under way
    while time.monotonic() < until:
        libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(SIZE), POPULATE_READ)


@attack
def _():
    place = libc.mmap(None, ctypes.c_size_t(SIZE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(SIZE), POPULATE_READ)
    threading.stack_size(1 << 17)
    for _ in range(16):
        threading.Thread(target=populate, args=(place,), daemon=True).start()
    begin.set()
