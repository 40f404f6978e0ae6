"""Asks not to be killed when its parent dies (PR_SET_PDEATHSIG), and ignores the end of its
input.
"""

import time

from attack import attack, call


@attack
def _():
    try:
        call("prctl", 1, 0, 0, 0, 0)
    finally:
        print("ready", flush=True)
        time.sleep(60)
