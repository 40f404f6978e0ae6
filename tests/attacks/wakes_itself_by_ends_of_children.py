"""Has children whose end it is told of by SIGCONT, one after another, while it spins in a
thread.
"""

import os
import signal
import threading

from attack import attack, call


def beget():
    while True:
        if call("clone", signal.SIGCONT, 0, 0, 0, 0) == 0:
            os._exit(0)
        os.waitpid(-1, os.WNOHANG | 0x40000000)  # __WALL: also children that do not send SIGCHLD


@attack
def _():
    if call("clone", signal.SIGCONT, 0, 0, 0, 0) == 0:
        os._exit(0)
    for _ in range(3):
        threading.Thread(target=beget, daemon=True).start()
