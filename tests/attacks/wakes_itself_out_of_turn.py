"""Has a child in a session of its own wake it, again and again, while it spins in a thread."""

import os
import signal
import threading
import time

from attack import attack


@attack
def _():
    me = os.getpid()
    if os.fork() == 0:
        os.setsid()
        for _ in range(60_000):  # a minute: longer than any batch, on a busy machine too
            os.kill(me, signal.SIGCONT)
            time.sleep(0.001)
        os._exit(0)
    threading.Thread(target=lambda: sum(0 for _ in iter(int, 1)), daemon=True).start()
