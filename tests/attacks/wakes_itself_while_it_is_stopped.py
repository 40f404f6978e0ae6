"""Sends itself SIGCONT from many threads: one that comes before its SIGSTOP has taken effect
cancels that.
"""

import ctypes
import os
import signal
import threading

from attack import attack


def cancel():
    kill = ctypes.CDLL(None).kill  # which other threads need not wait for, unlike os.kill
    while True:
        kill(os.getpid(), signal.SIGCONT)


@attack
def _():
    os.kill(os.getpid(), signal.SIGCONT)  # refused: nothing more to try
    for _ in range(8):
        threading.Thread(target=cancel, daemon=True).start()
