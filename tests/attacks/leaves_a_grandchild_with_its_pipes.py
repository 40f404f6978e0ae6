"""Dies, and leaves a grandchild in a session of its own that holds the pipes open."""

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
    os._exit(3)
