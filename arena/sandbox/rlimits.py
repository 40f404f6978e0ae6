"""The level `rlimits`: the operating system's own limits on each process, and no way to more privileges.

It stops a bot that eats memory or CPU by mistake. It does not hide files, other processes or the network.
"""

import ctypes
import math
import os
import resource
import sys
from functools import cache
from typing import TYPE_CHECKING

from arena.sandbox.plan import Plan

if TYPE_CHECKING:  # the spawner imports this file, and stays small
    from arena.match import Limits

ADDRESS_SPACE = 4 * 1024**3  # a backstop for shared mappings, which RLIMIT_DATA does not count; Java reserves gigabytes
PR_SET_NO_NEW_PRIVS = 38
Rows = tuple[tuple[int, int, int], ...]
"""(resource, soft, hard) for setrlimit."""
prctl = ctypes.CDLL(None, use_errno=True).prctl


def confine(plan: Plan, argv: list[str]) -> list[str]:
    """In the child: take on the limits; returns what to run."""
    apply(plan)
    no_new_privs()
    return argv


def apply(plan: Plan) -> None:
    """Set the rows, none above what we have ourselves."""
    for kind, soft, hard in plan.limits:
        top = tops()[kind]
        resource.setrlimit(kind, (min(soft, top), min(hard, top)))


@cache
def tops() -> dict[int, int]:
    """What we have ourselves, by resource."""
    kinds = {getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}
    found = {kind: resource.getrlimit(kind)[1] for kind in kinds}
    return {kind: sys.maxsize if top == resource.RLIM_INFINITY else top for kind, top in found.items()}


def beside(rows: "Rows", data: int) -> "Rows":
    """The same limits for a process that starts with so many bytes of data."""
    return tuple(
        (kind, soft + data, hard + data) if kind == resource.RLIMIT_DATA else (kind, soft, hard)
        for kind, soft, hard in rows
    )


def no_new_privs() -> None:
    """No program that it runs gains anything: set-uid bits and file capabilities mean nothing."""
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"no_new_privs: {os.strerror(ctypes.get_errno())}")


def table(limits: "Limits") -> tuple[tuple[int, int, int], ...]:
    """Rows of (resource, soft, hard) for setrlimit.

    The CPU limit's hard end is a second later, so that a bot dies of SIGXCPU, which tells why.
    """
    rows = [(resource.RLIMIT_CORE, 0, 0), (resource.RLIMIT_MEMLOCK, 0, 0)]
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        rows.append((resource.RLIMIT_MSGQUEUE, 0, 0))
    if limits.open_files is not None:
        rows.append((resource.RLIMIT_NOFILE, limits.open_files, limits.open_files))
    if limits.scratch is not None:
        rows.append((resource.RLIMIT_FSIZE, limits.scratch, limits.scratch))
    if limits.memory is not None:
        rows.append((resource.RLIMIT_DATA, limits.memory, limits.memory))
        rows.append((resource.RLIMIT_AS, max(ADDRESS_SPACE, limits.memory), max(ADDRESS_SPACE, limits.memory)))
    if limits.cpu is not None:
        soft = max(1, math.ceil(limits.cpu))
        rows.append((resource.RLIMIT_CPU, soft, soft + 1))
    return tuple(rows)
