"""Forks twice, into a session of its own, where neither a kill of its group nor freezing reaches
it.
"""

import os
import time

from attack import attack


@attack
def _():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.wait()
