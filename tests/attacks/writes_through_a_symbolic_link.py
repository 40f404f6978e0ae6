"""Makes a symbolic link in its scratch folder to a file outside, and writes to that."""

import os

from attack import attack, scratch, target, write


@attack
def _():
    os.symlink(target.canary, f"{scratch}/link")
    write(f"{scratch}/link", "spoilt")
