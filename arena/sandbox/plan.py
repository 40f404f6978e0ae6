"""Plan: all that a child of the spawner needs to know about its bot, as plain values that cross a socket by marshal.

The launcher makes it, the levels obey it. Imported by the spawner, so it stays small.
"""

import errno
from typing import NamedTuple

TEMPORARY = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EINTR, errno.ENOSPC, errno.EDQUOT)
"""Errors that come from the moment, not from this system's abilities: a level is never given up for one of them."""


class Plan(NamedTuple):
    """Confinement of one bot process."""

    level: str
    """`landlock`, `bubblewrap`, `rlimits` or `none`."""
    home: str
    """The bot's own folder: it starts here."""
    scratch: str
    """The only folder that it may write to, unless it builds."""
    read: tuple[str, ...]
    """Files and folders that it may read and run: what `file_policy.py` lists beside its own and the system's."""
    limits: tuple[tuple[int, int, int], ...]
    """Rows of (resource, soft, hard) for setrlimit."""
    processes: int
    """The number of processes that it may be at once; 1 = it cannot fork."""
    tasks: int
    """The number of threads of all its processes together, where the kernel can count them; 0 = any number."""
    scratch_bytes: int
    """The size of its scratch folder, where the level can bound it; 0 = any size."""
    builds: bool
    """Whether it may write to its home, and run what it writes there, as a build must."""
    warm: bool
    """Whether it is a fork of the spawner, not a program of its own."""
    calls: tuple[str, ...]
    """System calls that it may make beside those of `call_policy.py`."""
    watched: bool
    """Whether arena notes the system calls that are refused to it."""
    cgroup: str
    """The folder of the cgroup that it enters; empty where it has none of its own."""
    user: int | None
    """The uid (and gid) that it becomes; None = it stays the user that we are."""
