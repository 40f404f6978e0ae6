"""Tells its accomplice something by locks on a file that both may read (fcntl)."""

import fcntl
import os
import struct

from attack import attack, held, target, tell


@attack
def _():
    held.append(os.open(target.common, os.O_RDONLY))
    if target.message:
        for place, bit in enumerate(target.message):
            if bit == "1":
                fcntl.lockf(held[0], fcntl.LOCK_SH | fcntl.LOCK_NB, 1, place)
    else:
        ask = [struct.pack("hhqqi", fcntl.F_WRLCK, 0, place, 1, 0) for place in range(16)]
        found = [struct.unpack("hhqqi", fcntl.fcntl(held[0], fcntl.F_GETLK, one))[0] for one in ask]
        tell("".join("01"[kind == fcntl.F_RDLCK] for kind in found))
