"""Sets a flag of a file outside (ioctl FS_IOC_SETFLAGS: no copy-on-write, no atime), opened for
reading only.
"""

import fcntl
import os
import struct

from attack import attack, target


@attack
def _():
    fcntl.ioctl(os.open(target.canary, os.O_RDONLY), 0x40086602, struct.pack("l", 0x80))
