"""Sends itself 50,000 signals that it does not take: each costs memory, and a user may have few
waiting.
"""

import os
import signal

from attack import attack


@attack
def _():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN + 5})
    for _ in range(50_000):
        os.kill(os.getpid(), signal.SIGRTMIN + 5)
