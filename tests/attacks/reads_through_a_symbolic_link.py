"""Makes a symbolic link in its scratch folder to a file outside, and reads that."""

import os

from attack import attack, read, scratch, target, tell


@attack
def _():
    os.symlink(target.canary, f"{scratch}/link")
    tell(read(f"{scratch}/link"))
