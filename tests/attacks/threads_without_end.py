"""Starts thread after thread, each with a small stack (here: 600)."""

import threading
import time

from attack import bomb


@bomb
def _():
    threading.stack_size(1 << 16)
    for _ in range(600):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
