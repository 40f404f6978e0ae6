"""Leaves the process group in which it is killed and stopped."""

import os
import time

from attack import attack


@attack
def _():
    if os.fork() == 0:
        os.setpgid(0, 0)
        time.sleep(60)
        os._exit(0)
