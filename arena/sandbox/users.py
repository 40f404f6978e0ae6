"""The user that a bot is when root runs arena: an unprivileged user of its own, or root without any capability.

`claim` runs in the referee process; the other functions run in the child, before anything else is confined.
"""

import ctypes
import errno
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

GROUP, FIRST, COUNT = 60706, 60707, 477
"""The group of all these users, and their uids. No system assigns them: systemd's table of uid ranges has 60706 to
61183 as unused. The group is the only one that may pass through the private folder of root's referee (`folder.py`)."""

PR_SET_SECUREBITS = 28
NO_ROOT = 0b1110_1111  # SECBIT_NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, KEEP_CAPS off, each of them locked
CAPABILITY_VERSION_3 = 0x20080522
libc = ctypes.CDLL(None, use_errno=True)


def claim(first: int) -> "tuple[int, socket.socket]":
    """Return a user that no living referee process on this machine has, and the claim to it, which ends when closed.

    Look from the `first`th user on. OSError (EAGAIN) when all are taken. A claim is an abstract socket of the user's
    name: the kernel gives a name to one process only, and frees it when that dies, however it does. A locked file would
    do as well, but needs a folder that every referee finds and no stranger can write to. Abstract names belong to a
    network namespace: runs of root in two such namespaces that share their process numbers do not see each other.
    """
    import socket  # here, because it makes enums, and the spawner does without

    for number in range(COUNT):
        user = FIRST + (first + number) % COUNT
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0arena-user-{user}")
        except OSError as error:
            name.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return user, name
    raise OSError(errno.EAGAIN, f"all {COUNT} users that bots become are taken by other referee processes")


def become(user: int | None) -> None:
    """Become this user; with None, stay root without capabilities. Do nothing if we are not root.

    The capability sets are emptied for good: uid 0 then owns files, and has no power besides. The set that bounds those
    of a program need not be emptied: with NO_ROOT and no_new_privs they stay empty.
    """
    if os.getuid() != 0 and os.geteuid() != 0:
        return
    if user is not None:
        os.setgroups([GROUP])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        return
    libc.prctl(PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0)
    header, data = struct.pack("Ii", CAPABILITY_VERSION_3, 0), bytes(24)
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), f"capabilities: {os.strerror(ctypes.get_errno())}")


def unreadable(user: int, folder: str, paths: tuple[str, ...]) -> list[str]:
    """Become this user; return the folder if the user may not pass through it, and the paths that it may not read."""
    become(user)
    denied = [path for path in paths if not os.access(path, os.R_OK | (os.X_OK if os.path.isdir(path) else 0))]
    return denied if os.access(folder, os.X_OK) else [folder, *denied]
