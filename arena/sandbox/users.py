"""The user that a bot is when root runs arena: a user of its own, or root without capabilities.

`claim` runs in the referee process; the other functions run in the child, before anything else is
confined.
"""

import contextlib
import ctypes
import errno
import os
import stat
import struct
from functools import cache

from arena.sandbox.level import checked

GROUP = 60706
"""The group of all these users, the only one that may pass through the private folder of root's
referee (`folder.py`). No system assigns it: systemd's table of uid ranges has 60706 to 61183 as
unused."""
FEW = range(60707, 61184)
MANY = range(2_100_000_000, 2_100_065_536)
"""Uids that no system assigns: the rest of that range, and a part of systemd's second one,
1879048192 to 2147483647, beyond those that SSSD makes of Windows' accounts."""
# It is believed only if it is root's alone.
CLAIMS = ("/run/arena-users", "/dev/shm/arena-users")  # noqa: S108
"""The files with the claims; the second where /run cannot be written. In /run only root can make a
file."""
WHOLE_MACHINE = [(0, 0, 4_294_967_295)]
"""The map of uids in a user namespace that is not smaller than the machine."""

PR_SET_SECUREBITS = 28
NO_ROOT = 0b1110_1111
"""SECBIT_NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, KEEP_CAPS off, each of them locked."""
CAPABILITY_VERSION_3 = 0x20080522
libc = ctypes.CDLL(None, use_errno=True)


@cache
def uid_map() -> list[tuple[int, int, int]]:
    """Return the rows of user_namespaces(7): first uid in this namespace, uid outside, count."""
    rows = []
    with open("/proc/self/uid_map") as file:
        for line in file:
            inside, outside, count = line.split()
            row = (int(inside), int(outside), int(count))
            rows.append(row)
    return rows


def uids() -> range:
    """Return the users that bots become: a container of an ordinary user has few, or none."""
    if uid_map() == WHOLE_MACHINE:
        return MANY
    for inside, _, count in uid_map():
        if inside <= FEW[0] and FEW[-1] < inside + count:
            return FEW
    return range(0)


def claim_files() -> list[str]:
    """Return the files that may have the claims.

    Containers of several users may share /dev/shm, so each has its own. There root of a container
    is an ordinary user, and a file of another user is of no use to it.
    """
    for inside, outside, _ in uid_map():
        if inside == 0 and outside != 0:
            return [f"{path}-{outside}" for path in CLAIMS]
    return list(CLAIMS)


def claim(first: int) -> tuple[int, int] | None:
    """Return a user that no other bot on this machine is, and the claim to it, a descriptor.

    Look from the `first`th user on. Return None if all users are taken. Raise OSError if no file
    with the claims can be had.

    A claim is a lock on one byte of a file that only root can open. It ends when its descriptor is
    closed, so also when the process dies, however it does. It belongs to the open file, because two
    launchers of one process must not have the same user. A name that the kernel gives to one
    process only, such as an abstract socket's, would do as well, but anybody can take all of these.
    Containers that share uids, but not /run, do not see each other's claims.
    """
    import fcntl  # here, because the spawner does without

    candidates = uids()
    with contextlib.ExitStack() as unfinished:
        descriptor = _open_claims()
        unfinished.callback(os.close, descriptor)
        for number in range(len(candidates)):
            user = candidates[(first + number) % len(candidates)]
            lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, user, 1, 0)
            try:
                fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, lock)
            except OSError as error:
                if error.errno not in {errno.EAGAIN, errno.EACCES}:
                    raise
            else:
                unfinished.pop_all()
                return user, descriptor
    return None


def _open_claims() -> int:
    """Open the file with the claims: a plain one that is root's alone."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    reasons = []
    for path in claim_files():
        try:
            descriptor = os.open(path, flags, 0o600)
        except OSError as error:
            reasons.append(f"{path}: {error.strerror}")
            continue
        status = os.fstat(descriptor)
        is_plain = stat.S_ISREG(status.st_mode)
        is_ours = status.st_uid == os.geteuid()
        is_private = not stat.S_IMODE(status.st_mode) & 0o077
        if is_plain and is_ours and is_private:
            return descriptor
        os.close(descriptor)
        reasons.append(f"{path}: others can open it")
    raise OSError(errno.EACCES, "; ".join(reasons))


def become(user: int | None) -> None:
    """Become this user; with None, stay root without capabilities. Do nothing if we are not root.

    The capability sets are emptied for good: uid 0 then owns files, and has no power besides. The
    set that limits those of a program need not be emptied: with NO_ROOT and no_new_privs they stay
    empty.
    """
    if os.getuid() != 0 and os.geteuid() != 0:
        return
    if user is not None:
        os.setgroups([GROUP])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        return
    libc.prctl(PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0)
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    no_capabilities = bytes(24)
    checked(libc.capset(header, no_capabilities), "capabilities")


def unreadable(
    user: int,
    folder: str,
    paths: tuple[str, ...],
) -> list[str]:
    """Become this user; return the paths that it may not read.

    The folder is the first of them if the user may not pass through it.
    """
    become(user)
    denied = []
    if not os.access(folder, os.X_OK):
        denied.append(folder)
    for path in paths:
        needed = os.R_OK
        if os.path.isdir(path):
            needed |= os.X_OK
        if not os.access(path, needed):
            denied.append(path)
    return denied
