"""A level of confinement, as the other modules see it.

It has a name, it answers the questions of other modules, and it confines. Each level is a subclass;
`levels.py` has the table of them. No other module compares names. The spawner imports this file, so
it stays small.
"""

import ctypes
import errno
import os
from typing import Any, NamedTuple

TEMPORARY = (
    errno.EAGAIN,
    errno.ENOMEM,
    errno.EMFILE,
    errno.ENFILE,
    errno.EINTR,
    errno.ENOSPC,
    errno.EDQUOT,
)
"""Errors that come from the moment, not from this system's abilities. A level is never given up for
one of them."""
prctl: Any = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None)
"""The function of the C library; None where that is not Linux's, and nothing is confined."""


def checked(result: int, step: str) -> int:
    """Return the result of a call of the C library.

    Raise OSError, with the name of the step, when it failed.
    """
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{step}: {os.strerror(ctypes.get_errno())}")
    return result


class LaunchSpec(NamedTuple):
    """All that a child of the spawner needs to know about its bot.

    These are plain values, which cross a socket by marshal.
    """

    level: str
    """`landlock`, `bubblewrap`, `rlimits` or `none`."""
    home: str
    """The bot's own folder: it starts here."""
    scratch: str
    """The only folder that it may write to, unless it builds."""
    read: tuple[str, ...]
    """Files and folders that it may read and run: what `file_policy.py` lists beside its own and
    the system's."""
    limits: tuple[tuple[int, int, int], ...]
    """Rows of (resource, soft, hard) for setrlimit."""
    processes: int
    """The number of processes that it may be at once; 1 = it cannot fork."""
    tasks: int
    """The number of threads of all its processes together, where the kernel can count them; 0 = any
    number."""
    scratch_bytes: int
    """The size of its scratch folder, where the level can bound it; 0 = any size."""
    builds: bool
    """Whether it may write to its home, and run what it writes there, as a build must."""
    warm: bool
    """Whether it is a fork of the spawner, not a program of its own."""
    syscalls: tuple[str, ...]
    """System calls that it may make beside those of `call_policy.py`."""
    watched: bool
    """Whether arena notes the system calls that are refused to it."""
    counts_forks: bool
    """Whether the kernel asks the referee before each fork (`forks.py`)."""
    cgroup: str
    """The folder of the cgroup that it enters; empty where it has none of its own."""
    user: int | None
    """The uid (and gid) that it becomes; None = it stays the user that we are."""
    places: tuple[tuple[str, str], ...] = ()
    """Where it finds folders of ours, in a network of its own (`own_network.py`): rows of (folder,
    place). Empty = it finds them where they are, and has no network."""

    @property
    def networked(self) -> bool:
        """Return whether it has a network of its own, and the calls of `call_policy.NETWORKED`."""
        return bool(self.places)

    def place(self, path: str) -> str:
        """Return where it finds this file or folder of ours."""
        for folder, place in self.places:
            if path == folder or path.startswith(f"{folder}/"):
                return place + path[len(folder) :]
        return path


class BotKind(NamedTuple):
    """What the spawner may know about the bots that it will fork: what many have in common."""

    level: str
    processes: int
    syscalls: tuple[str, ...]
    other_user: bool
    """Whether they become another user."""
    readable: tuple[str, ...]
    """Files and folders that all of them may read."""
    modules: tuple[str, ...] = ()
    """The modules that they find imported, where they are started warm."""
    kit: str = ""
    """The folder of their kit, if they find that imported."""
    rules: str = ""
    """The name of the rules file that they find imported with the kit."""


class Level:
    """A level of confinement.

    The values here are those of a level that sets limits and confines nothing.
    """

    name: str
    confines: bool = False
    """A bot reaches its own files only, and can fork only if it may be several processes."""
    leaves_open: str = ""
    """The acts of a bot that a level does not prevent, if it does not confine."""
    needs: str = ""
    """The reason why this machine may not offer the level, and the remedy."""
    restricts: bool = True
    """A bot loses privileges, has limits, and gets a user and a cgroup of its own where arena can
    give them."""
    wrapped: bool = False
    """The process that arena starts and reaps is a helper that makes namespaces. The bot is a
    process below it, and the command that `confine` returns confines it. Its scratch folder is in
    memory, in a mount of its own: nobody outside can list or empty it. Run by root, it must become
    an unprivileged user.

    Otherwise the process that calls `confine` is confined when it returns: a fork of the spawner
    can be a bot (`warm.py`), and arena can learn which system calls are refused to it
    (`refused.py`)."""

    def prepare(self, kind: BotKind) -> None:
        """Do what takes time, in the spawner, once for all bots of this kind.

        Raise OSError when the level fails here.
        """

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:
        """Confine the child that calls this; return the command that runs the bot.

        Raise OSError when that fails.
        """
        raise NotImplementedError

    def program(self, pid: int) -> int | None:
        """Return the process that runs the bot's own program, given the started one.

        Return None while there is none.
        """
        return pid or None

    def helpers(self, pid: int) -> set[int]:
        """Return the processes that belong to the level, not to the bot, given the started one."""
        del pid
        return set()

    def exit_code(self, code: int) -> int:
        """Return the bot's exit code, or minus its signal, given that of the started process."""
        return code
