"""The level `rlimits`: the system's limits on each process, and no way to more privileges.

It stops a bot that uses too much memory or CPU by mistake. It hides neither files nor other
processes nor the network. The levels that confine set the same limits, with the functions below.
"""

import math
import resource
import sys
from functools import cache
from typing import TYPE_CHECKING

from arena.errors import MachineError
from arena.sandbox.level import LaunchSpec, Level, checked, prctl

if TYPE_CHECKING:  # the spawner imports this file, and stays small
    from arena.values import Limits

ADDRESS_SPACE_BYTES = 4 * 1024**3
"""A backstop for shared mappings, which RLIMIT_DATA does not count. Java reserves gigabytes."""
CORE_BYTES = 1
"""Too small for a core file. At 1 Linux does not pipe a core to a program either; at 0 it does. See
core(5)."""
QUEUED_SIGNALS = 1024
"""Each waiting signal costs the kernel memory; they count for all processes of a user together. One
of each of the 31 plain signals can wait whatever the limit is."""
HELPERS = 8
"""Room for the processes of bubblewrap, which RLIMIT_NPROC and a cgroup count with the bot's."""
ULIMITS = {
    "open_files": (("n", resource.RLIMIT_NOFILE),),
    "memory": (("d", resource.RLIMIT_DATA), ("v", resource.RLIMIT_AS)),
    "scratch": (("f", resource.RLIMIT_FSIZE),),
    "cpu": (("t", resource.RLIMIT_CPU),),
}
"""The limits of bots that a shell can lower for all that it starts: by the letter of `ulimit`."""
PR_SET_NO_NEW_PRIVS = 38
Rows = tuple[tuple[int, int, int], ...]
"""(resource, soft, hard) for setrlimit."""


class Rlimits(Level):
    """The level `rlimits`."""

    name = "rlimits"
    leaves_open = "bots can read and change your files, use the network, and stop each other"

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:
        """Set the limits; return the command."""
        apply(spec)
        no_new_privs()
        return argv


def apply(spec: LaunchSpec) -> None:
    """Set the limits of the spec, none above the limit that this process has itself."""
    for kind, soft, hard in spec.limits:
        highest = own_limits()[kind]
        limits = (min(soft, highest), min(hard, highest))
        resource.setrlimit(kind, limits)


@cache
def own_limits() -> dict[int, int]:
    """Return the hard limits of this process, by resource."""
    limits: dict[int, int] = {}
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            kind = getattr(resource, name)
            _, hard = resource.getrlimit(kind)
            if hard == resource.RLIM_INFINITY:
                hard = sys.maxsize
            limits[kind] = hard
    return limits


def refuse_lower(limits: "Limits") -> None:
    """Raise MachineError where this process itself has less than these limits allow a bot.

    No bot could get it then.
    """
    for name, ulimits in ULIMITS.items():
        allowed = getattr(limits, name)
        if allowed is None:
            continue
        for letter, kind in ulimits:
            limit = own_limits()[kind]
            if limit < allowed:
                raise MachineError(
                    f"`ulimit -{letter}`: it is {limit:,} here, and a bot may have "
                    f"{name} = {allowed:,.0f}; raise it, or start arena where it is higher "
                    "(`ulimit -a` shows all)"
                )


def with_data(rows: Rows, data: int) -> Rows:
    """Return these limits with the limit on data raised by these bytes.

    A process has them at its start.
    """
    raised = []
    for kind, soft, hard in rows:
        if kind == resource.RLIMIT_DATA:
            raised.append((kind, soft + data, hard + data))
        else:
            raised.append((kind, soft, hard))
    return tuple(raised)


def no_new_privs() -> None:
    """Give up set-uid bits and file capabilities, for this process and all that it runs."""
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def tasks(count: int) -> Rows:
    """Return the row that limits the threads of all processes of this user; no row for 0.

    The kernel counts every process of the user together. So this is for a user that no other
    process has, or for the inside of a user namespace.
    """
    if not count:
        return ()
    most = count + HELPERS
    return ((resource.RLIMIT_NPROC, most, most),)


def table(limits: "Limits", *, address_space: bool = True) -> Rows:
    """Return the rows for setrlimit; without one of the address space, of which V8 reserves much.

    The hard CPU limit is a second above the soft one, so that a bot dies of SIGXCPU, which shows
    the cause.
    """
    rows = [
        (resource.RLIMIT_CORE, CORE_BYTES, CORE_BYTES),
        (resource.RLIMIT_MEMLOCK, 0, 0),
        (resource.RLIMIT_MSGQUEUE, 0, 0),
        (resource.RLIMIT_SIGPENDING, QUEUED_SIGNALS, QUEUED_SIGNALS),
    ]
    if limits.open_files is not None:
        rows.append((resource.RLIMIT_NOFILE, limits.open_files, limits.open_files))
    if limits.scratch is not None:
        rows.append((resource.RLIMIT_FSIZE, limits.scratch, limits.scratch))
    if limits.memory is not None:
        rows.append((resource.RLIMIT_DATA, limits.memory, limits.memory))
        if address_space:
            most = max(ADDRESS_SPACE_BYTES, limits.memory)
            rows.append((resource.RLIMIT_AS, most, most))
    if limits.cpu is not None:
        soft = max(1, math.ceil(limits.cpu))
        rows.append((resource.RLIMIT_CPU, soft, soft + 1))
    return tuple(rows)
