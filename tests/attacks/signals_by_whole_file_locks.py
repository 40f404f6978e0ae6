"""Tells its accomplice something by locks on files that both may read (flock)."""

import fcntl
import os

from attack import attack, held, target, tell


@attack
def _():
    bits = ""
    for place in range(16):
        held.append(os.open(target.commons[place], os.O_RDONLY))
        if target.message:
            if target.message[place] == "1":
                fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            continue
        try:
            fcntl.flock(held[-1], fcntl.LOCK_SH | fcntl.LOCK_NB)
            bits += "0"
        except BlockingIOError:
            bits += "1"
    tell(bits)
