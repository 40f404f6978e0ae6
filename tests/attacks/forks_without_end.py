"""Forks again and again (here: 200 times, and each child sleeps)."""

import os
import time

from attack import bomb


@bomb
def _():
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
