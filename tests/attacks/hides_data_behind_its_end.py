"""Ends its first thread, of which alone /proc speaks, and keeps removed files in another (here: 6
of 3 MB, of 4).
"""

import os
import sys
import threading
import time

from attack import held, libc, scratch, target


def live_on():
    time.sleep(0.1)
    for _ in range(6):
        held.append(os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR))
        os.unlink(f"{scratch}/large")
        os.write(held[-1], bytes(3_000_000))
    time.sleep(0.3)
    os.write(1, b"ready\n")
    while os.read(0, 4096):
        pass
    os._exit(0)


threading.Thread(target=live_on).start()
libc.syscall(target.numbers["exit"], 0)
sys.exit("the first thread lives on")
