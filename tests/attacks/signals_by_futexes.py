"""Tells its accomplice something by sleeping on words of a file that both may read (futex)."""

import ctypes
import os
import struct
import threading
import time

from attack import attack, call, checked, libc, target, tell


@attack
def _():
    place = checked(libc.mmap(0, 4096, 1, 1, os.open(target.common, os.O_RDONLY), 0))
    words = struct.unpack("16I", ctypes.string_at(place, 64))
    if target.message:
        for number, bit in enumerate(target.message):
            if bit == "1":
                aims = ("futex", place + 4 * number, 0, words[number], None, None, 0)
                threading.Thread(target=call, args=aims, daemon=True).start()
        time.sleep(0.1)
    else:
        tell(
            "".join(
                str(call("futex", place + 4 * number, 1, 1, None, None, 0)) for number in range(16)
            )
        )
