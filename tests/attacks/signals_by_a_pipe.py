"""Names the referee as owner of a pipe, so that the kernel signals it whenever the pipe is written to."""

import fcntl
import os
import signal

from attack import attack, kept, target


@attack
def _():
    kept.extend(os.pipe())
    fcntl.fcntl(kept[0], 10, signal.SIGRTMIN + 3)  # F_SETSIG
    fcntl.fcntl(kept[0], fcntl.F_SETOWN, target.referee)
    fcntl.fcntl(kept[0], fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(kept[1], b"x")
