"""Spins in a thread after it has answered."""

import threading

from attack import attack


@attack
def _():
    threading.Thread(target=lambda: sum(0 for _ in iter(int, 1)), daemon=True).start()
