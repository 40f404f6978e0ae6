"""Has a thread with a table of descriptors of its own, for files that it removed (here: 6 of 3 MB,
of the 4 it may).
"""

import os
import threading
import time

from attack import bomb, call, held, scratch


def hoard():
    call("close_range", 100, 200, 2)  # CLOSE_RANGE_UNSHARE
    for _ in range(6):
        held.append(os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR))
        os.unlink(f"{scratch}/large")
        os.write(held[-1], bytes(3_000_000))
    time.sleep(60)


@bomb
def _():
    threading.Thread(target=hoard, daemon=True).start()
    time.sleep(0.2)
