"""Processes as the tests see them: whether one lives, what is below it, what it has open, and
whether it goes.
"""

import contextlib
import gc
import os
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

OURS = ("arena-spawner\n", "arena-spare\n")
"""The spawner, and what it forked ahead for bots to come."""


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait for a condition; return whether it came true in time, a guard against hangs.

    The longer it takes, the less often it is looked at, as many looks read files or ask a server.
    """
    begun = time.monotonic()
    while not (came := condition()) and time.monotonic() - begun < seconds:
        waited = time.monotonic() - begun
        time.sleep(min(0.02 + waited / 20, 0.1))
    return bool(came)


def gone_soon(pids: Iterable[int]) -> bool:
    """Wait until all of these are gone; return whether they went in time, a guard against hangs."""
    left = set(pids)

    def gone() -> bool:
        left.intersection_update(
            [pid for pid in left if alive(pid)]
        )  # a number may soon be somebody else's
        return not left

    return until(gone)


def children(pid: int) -> list[int]:
    """Return the processes that the first thread of this one has started; one that ends meanwhile
    may hide others.
    """
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


def descendants(pid: int) -> set[int]:
    """Every process below this one, by parents; but for those that wait to become bots, or were
    just forked for it.
    """
    parents, names = {}, {}
    for number in filter(
        str.isdigit, os.listdir("/proc")
    ):  # pathlib would take most of the time of a test that waits
        try:
            with open(f"/proc/{number}/stat", errors="replace") as stat:
                name, _, rest = stat.read().rpartition(")")
        except OSError:
            continue
        names[int(number)] = name.partition("(")[2]
        parents[int(number)] = int(rest.split(maxsplit=2)[1])
    waiting = {
        child
        for child, parent in parents.items()
        if names[child] == "arena-spare" or names[child] == names.get(parent) == "arena-spawner"
    }
    below, more = set(), {pid}
    while more := {child for child, parent in parents.items() if parent in more} - below - waiting:
        below |= more
    return below


def descriptors() -> set[str]:
    """Return what this process has open, without what only waits to be collected, such as of a test
    before.
    """
    gc.collect()
    return set(os.listdir("/proc/self/fd"))


@contextlib.contextmanager
def free_descriptors(count: int) -> Iterator[None]:
    """Let this process open only this number of descriptors more."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1 + count, limits[1]))
    taken: list[int] = []
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(count):
            os.close(taken.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for descriptor in taken:
            os.close(descriptor)


LOGIN = ("_ses", "_uid")
"""How the names of keyrings begin that come with a login, here or elsewhere, of the user who runs
the tests. The kernel ends such a keyring with the last process that has it."""


def kept_by_the_kernel() -> set[tuple[str, str]]:
    """System V objects and keys, by kind and number: what outlives a process."""
    found = set()
    for kind in ("shm", "sem", "msg"):
        path = Path("/proc/sysvipc") / kind
        lines = path.read_text().splitlines()[1:] if path.exists() else []
        found |= {(kind, line.split()[1]) for line in lines}
    path = Path("/proc/keys")
    for line in path.read_text().splitlines() if path.exists() else []:
        number, *_, sort, name = line.split(maxsplit=8)
        if sort != "keyring" or not name.startswith(LOGIN):
            found.add(("key", number))
    return found


def stays_in_the_kernel(before: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return what came since then and stays: the harness cleans up after attacks that are tried
    beside this test.
    """
    left, end = kept_by_the_kernel() - before, time.monotonic() + 60
    while left and time.monotonic() < end:
        time.sleep(0.05)
        left &= kept_by_the_kernel()
    return left


def run_in(folder: Path) -> list[int]:
    """Every process, in whatever session it hides, that was started as a bot in this folder."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if any(os.fsencode(folder) in _read(number, name) for name in ("environ", "cmdline")):
                found += [int(number)] * (os.fsdecode(_read(number, "comm")) not in OURS)
        except OSError:
            continue
    return found


def _read(number: str, name: str) -> bytes:
    with open(f"/proc/{number}/{name}", "rb", 0) as file:
        return file.read()
