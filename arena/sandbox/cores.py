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
    thinking_bots = 1
    if not event.conditions.freeze:
        bots_of_boards = [len(board.roles) for board in event.boards]
        thinking_bots = max(bots_of_boards, default=1)
    threads_of_bots = [bot.threads for bot in event.bots]
    threads = max(threads_of_bots, default=1)
    cores_of_match = max(thinking_bots, threads)
    return max(1, cores // cores_of_match)


def should_pin(
    pin: bool | None,
    event: Event,
    workers: int,
    cores: int,
) -> bool:
    """Return whether lanes are pinned: as `pin` says, or, for None, where that is quicker.

    It is quicker where every lane has a core and its bots take turns. Lanes that wait for a
    language model most of the time share the cores.
    """
    if pin is not None:
        return pin
    takes_turns = event.conditions.freeze and not event.conditions.has_models
    return takes_turns and workers <= cores


def shared_out(
    cores: tuple[int, ...],
    lanes: int,
) -> tuple[tuple[int, ...], ...]:
    """Return the cores of each lane: cores of its own if there are enough, or a shared one."""
    cores_of_lanes = []
    for lane in range(lanes):
        own_cores = cores[lane::lanes]
        shared_core = cores[lane % len(cores)]
        cores_of_lanes.append(own_cores or (shared_core,))
    return tuple(cores_of_lanes)


def claim(count: int) -> dict[int, socket.socket] | None:
    """Claim a number of cores that no other process of arena on this machine has.

    Return the claims by core; None when fewer cores are free. The claim to a core ends when its
    socket is closed, or with the process.

    Several workers of a cluster on one machine would otherwise each pin their first lane to the
    same core. A claim is an abstract socket of the core's name: workers of all users agree on it. A
    user who takes all names ends the pinning, but no match.
    """
    claims: dict[int, socket.socket] = {}
    with contextlib.ExitStack() as unfinished:
        for core in system.cores():
            core_claim = socket.socket(socket.AF_UNIX)
            try:
                core_claim.bind(f"\0arena-core-{core}")
            except OSError as error:
                core_claim.close()
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                claims[core] = unfinished.enter_context(core_claim)
                if len(claims) == count:
                    unfinished.pop_all()
                    return claims
    return None


def stay(core: int) -> None:
    """Pin this process, and what it starts from now on, to a core; do nothing if the core is gone.

    Only Linux can pin. Elsewhere the system moves all processes as it likes.
    """
    with contextlib.suppress(OSError):
        if system.LINUX:
            os.sched_setaffinity(0, {core})


def move(pid: int, cores: Iterable[int]) -> None:
    """Move a process with all its threads to these cores. Do nothing for one that is gone."""
    targets = tuple(cores)
    with contextlib.suppress(OSError):
        threads = os.listdir(f"{system.PROC}/{pid}/task")
        for thread in threads:
            os.sched_setaffinity(int(thread), targets)
