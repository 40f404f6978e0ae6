"""Burns CPU in children that live shortly and are reaped by nobody (here: allowed are 0.3 seconds,
20 processes).
"""

import os
import signal
import time

from attack import attack


@attack
def _():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        if os.fork() == 0:
            until = time.monotonic() + 0.03
            while time.monotonic() < until:
                pass
            os._exit(0)
        time.sleep(0.035)
