"""Who a bot is: as root it becomes an unprivileged user of its own, or at least loses every capability.

Runs in the child, before anything else is confined.
"""

import ctypes
import os
import struct

FIRST, COUNT = 60706, 478
"""Uids that nobody hands out: systemd's table of uid ranges has 60706 to 61183 as unused."""

PR_SET_SECUREBITS = 28
NO_ROOT = 0b1110_1111  # SECBIT_NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, KEEP_CAPS off, each of them locked
CAPABILITY_VERSION_3 = 0x20080522
libc = ctypes.CDLL(None, use_errno=True)


def become(user: int | None) -> None:
    """Become this user; as root with None, stay root in name only. Nothing for anybody else."""
    if os.getuid() != 0 and os.geteuid() != 0:
        return
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    else:
        lose_capabilities()


def lose_capabilities() -> None:
    """Empty every capability set, for good: uid 0 then owns files, and has no power besides.

    What bounds the sets that a program starts with need not be touched: with NO_ROOT and no_new_privs they stay empty.
    """
    libc.prctl(PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0)
    header, data = struct.pack("Ii", CAPABILITY_VERSION_3, 0), bytes(24)
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), f"capabilities: {os.strerror(ctypes.get_errno())}")


def can_read(user: int, through: str, paths: tuple[str, ...]) -> bool:
    """Become this user: whether it may read these files and folders, and pass through a folder. The kernel says."""
    become(user)
    return os.access(through, os.X_OK) and all(map(_open, paths))


def _open(path: str) -> bool:
    wanted = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
    return os.access(path, wanted)
