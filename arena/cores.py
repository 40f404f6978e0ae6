"""Who gets which core: how many matches at once, and whether a lane and its bots stay on one core.

Pure arithmetic, but for the moves themselves, which are one system call each. In a lane that is pinned, referee and
bots hand over to one another on one core, which saves waking an idle one at every turn (benchmarks/turns.py).
"""

import contextlib
import os
from collections.abc import Iterable

from arena.event import Event


def available() -> tuple[int, ...]:
    """The cores that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0)))


def matches_at_once(event: Event, cores: int) -> int:
    """How many matches so many cores can play without one taking another's time.

    A frozen bot needs no core, so that a match needs one; without freezing every bot of a match may think at once. A
    bot that asks for several threads needs a core for each.
    """
    thinking = 1 if event.conditions.freeze else max((len(board.roles) for board in event.boards), default=1)
    threads = max((bot.threads for bot in event.bots), default=1)
    return max(1, cores // max(thinking, threads))


def pays(pin: bool | None, event: Event, workers: int, cores: int) -> bool:
    """Whether lanes are pinned: as it is wished, or, for None, where every lane has a core and its bots take turns."""
    return event.conditions.freeze and workers <= cores if pin is None else pin


def shared_out(cores: tuple[int, ...], lanes: int) -> tuple[tuple[int, ...], ...]:
    """The cores of each lane: its own where there are enough, else one that it shares."""
    return tuple(cores[lane::lanes] or (cores[lane % len(cores)],) for lane in range(lanes))


def stay(core: int) -> None:
    """Pin this process; what it starts from now on, too. Where that core is gone meanwhile, it is let be."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {core})


def move(pid: int, cores: Iterable[int]) -> None:
    """Move a process with all its threads to these cores; one that is gone is let be."""
    wanted = tuple(cores)
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 (numbers, not paths)
            os.sched_setaffinity(int(task), wanted)
