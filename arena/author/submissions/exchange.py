"""Replace a file or folder by a new one, so that one of the two is always there.

With two renames there is a moment with neither: a kill at that moment would withdraw a bot. Linux exchanges two names
in one step (renameat2, RENAME_EXCHANGE). Python does not offer this call, and some file systems do not know it.
"""

import ctypes
import errno
import os
from pathlib import Path

from arena import whole_files

AT_FDCWD, RENAME_EXCHANGE = -100, 2
UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}
"""Errors of kernels, file systems and containers that have no such call."""


def put(new: Path, target: Path, aside: Path) -> None:
    """Give `new`, which is whole, the name `target`; the old target is at the free path `aside` afterwards.

    All three are in one file system. Where the exchange is impossible, a kill between two renames leaves no target:
    `restore` puts the old one back.
    """
    whole_files.sync_tree(new)
    if not os.path.lexists(target):
        new.rename(target)
    elif exchange(new, target):
        new.rename(aside)
    else:
        target.rename(aside)
        new.rename(target)
    whole_files.sync_folder(target.parent)


def restore(aside: Path, target: Path) -> None:
    """Give the name `target` back to the file or folder `aside`, when a kill in `put` left no target."""
    if os.path.lexists(aside) and not os.path.lexists(target):
        aside.rename(target)
        whole_files.sync_folder(target.parent)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step; return False where that is impossible."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    if libc.renameat2(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(second))
