"""Takes memory in four processes, each within its limit (here: together 120 MB of 64; eight
processes are allowed).
"""

import os
import time

from attack import bomb, held


@bomb
def _():
    for _ in range(4):
        if os.fork() == 0:
            held.append(b"x" * 30_000_000)
            time.sleep(60)
            os._exit(0)
    time.sleep(2)
