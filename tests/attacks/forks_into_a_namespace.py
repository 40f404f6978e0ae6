"""Forks a child into new namespaces by clone's flags."""

import os
import time

from attack import attack, call


@attack
def _():
    if call("clone", 0x10000000 | 17, 0, 0, 0, 0) == 0:
        time.sleep(60)
        os._exit(0)
