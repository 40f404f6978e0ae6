"""Has a child of its own group wake it by SIGCONT, again and again, while it spins in a thread."""

import os
import signal
import threading

from attack import attack


@attack
def _():
    me = os.getpid()
    if os.fork() == 0:
        while True:
            os.kill(me, signal.SIGCONT)
    threading.Thread(target=lambda: sum(0 for _ in iter(int, 1)), daemon=True).start()
