"""The cores of a machine: how many matches are played at once, and on which core each lane stays.

Pure arithmetic, but for the moves themselves, which are one system call each. In a pinned lane the
referee and its bots take turns on one core, which saves waking an idle core at every turn
(benchmarks/turns.py).
"""

import contextlib
import errno
import os
import socket
from collections.abc import Iterable

from arena import system
from arena.values import Event


def matches_at_once(event: Event, cores: int) -> int:
    """Return how many matches this number of cores can play without one taking another's time.

    A frozen bot needs no core, so a match needs one; without freezing every bot of a match may
    think at once. A bot that asks for several threads needs a core for each.
    """
    thinking = (
        1
        if event.conditions.freeze
        else max((len(board.roles) for board in event.boards), default=1)
    )
    threads = max((bot.threads for bot in event.bots), default=1)
    return max(1, cores // max(thinking, threads))


def should_pin(pin: bool | None, event: Event, workers: int, cores: int) -> bool:
    """Return whether lanes are pinned: `pin`, or, for None, where every lane has a core and its bots take turns.

    Lanes that wait for a language model most of the time share the cores.
    """
    takes_turns = event.conditions.freeze and event.conditions.model is None
    return takes_turns and workers <= cores if pin is None else pin


def shared_out(cores: tuple[int, ...], lanes: int) -> tuple[tuple[int, ...], ...]:
    """Return the cores of each lane: its own where there are enough, else one that it shares."""
    return tuple(cores[lane::lanes] or (cores[lane % len(cores)],) for lane in range(lanes))


def claim(count: int) -> dict[int, socket.socket] | None:
    """Claim a number of cores that no other process of arena on this machine has.

    Return None when fewer are free.

    The claim to a core ends when its socket is closed, or with the process.

    Several workers of a cluster on one machine would otherwise each pin their first lane to the
    same core. A claim is an abstract socket of the core's name: workers of all users agree on it,
    and who takes all names ends the pinning, but no match.
    """
    names: dict[int, socket.socket] = {}
    for core in system.cores():
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0arena-core-{core}")
        except OSError as error:
            name.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            names[core] = name
            if len(names) == count:
                return names
    for name in names.values():
        name.close()
    return None


def stay(core: int) -> None:
    """Pin this process, and what it starts from now on, to a core.

    Do nothing where that core is gone.

    Only Linux can do that; elsewhere the system moves all processes as it likes.
    """
    with contextlib.suppress(OSError):
        if system.LINUX:
            os.sched_setaffinity(0, {core})


def move(pid: int, cores: Iterable[int]) -> None:
    """Move a process with all its threads to these cores. Do nothing for one that is gone."""
    targets = tuple(cores)
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"{system.PROC}/{pid}/task"):
            os.sched_setaffinity(int(thread), targets)
