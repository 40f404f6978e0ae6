"""Names the referee as owner of a pipe, so that the kernel signals it whenever the pipe is written
to.
"""

import fcntl
import os
import signal

from attack import attack, held, target


@attack
def _():
    held.extend(os.pipe())
    fcntl.fcntl(held[0], 10, signal.SIGRTMIN + 3)  # F_SETSIG
    fcntl.fcntl(held[0], fcntl.F_SETOWN, target.referee)
    fcntl.fcntl(held[0], fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(held[1], b"x")
