"""Makes a device node in its scratch folder."""

import os
import stat

from attack import attack, scratch


@attack
def _():
    os.mknod(f"{scratch}/null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
