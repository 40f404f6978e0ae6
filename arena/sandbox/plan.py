"""What one bot may reach and use, as the spawner is told it: plain values that cross a socket as JSON.

The door makes it, the levels obey it. It is imported by the spawner, so it stays cheap.
"""

from typing import NamedTuple

CONFINING = ("landlock", "bubblewrap")
"""The levels at which a bot reaches nothing but its own, in the order in which `auto` tries them."""


class Plan(NamedTuple):
    """Confinement of one bot process."""

    level: str
    """`landlock`, `bubblewrap`, `rlimits` or `none`."""
    home: str
    """The bot's own folder: it starts here."""
    scratch: str
    """The one folder that it may write."""
    read: tuple[str, ...]
    """Files and folders that it may read and run, beside its home and the system's own programs."""
    limits: tuple[tuple[int, int, int], ...]
    """Rows of (resource, soft, hard) for setrlimit."""
    processes: int
    """How many processes it may be at once; 1 = it cannot fork."""
    scratch_bytes: int
    """What its scratch folder holds, where the level can bound it."""
    builds: bool
    """Whether it may write its home, and run what it writes there, as a build must."""
    warm: bool
    """Whether it is a fork of the spawner, not a program of its own."""
    user: int | None
    """The uid (and gid) that it becomes; None = it stays who we are."""
