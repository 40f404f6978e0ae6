"""What arena itself sees of a bot that uses too much: resident memory, CPU, threads, processes, scratch.

Limits of the kernel count one process at a time, and not everything; this looks from outside at the whole bot, every
LOOK seconds while it is awake. It finds and says; whoever asked ends the bot.
"""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from arena.match import Limits
from arena.sandbox import procfs
from arena.sandbox.procfs import Seen, see

LOOK = 0.025  # seconds between two looks: what can be eaten meanwhile is some ten megabytes
BLOCK = 4096  # what a file system rounds up to
UNTOLD = 1 << 40  # bytes
MANY = 1_000_000  # files: where none is too many, counting ends somewhere
THREADS = 128  # a process; a JVM has 30; each costs the kernel 16 kB and more
CPU = "cpu: it used more than the {:g} seconds of CPU that a match allows"
SPARE = 1.25  # resident memory counts the interpreter's own file pages too, which RLIMIT_DATA does not


class Watchdog:
    """Looks at the processes and the scratch folder of one bot."""

    def __init__(
        self,
        limits: Limits,
        inherited: int,
        processes: Callable[[], Iterable[int]],
        scratch: Callable[[], tuple[int, int]],
    ) -> None:
        """`processes` lists the bot's process ids, `scratch` tells (bytes, files) in its scratch folder.

        `inherited` are the bytes that were resident in each when it started, and do not count.
        """
        self._limits = limits
        self._inherited = inherited
        self._processes = processes
        self._scratch = scratch
        self.due = 0.0
        """The moment (monotonic) from which on a look is due."""
        self._before = 0.0
        """Seconds of CPU that were used in earlier matches, and do not count."""

    def begin_again(self) -> None:
        """Another match begins: what they used so far does not count."""
        self._before = sum(seen.cpu for pid in self._processes() if (seen := see(pid)) is not None)

    def look(self, now: float) -> str | None:
        """Which limit is passed, in words; None while all is well, or when it was looked at just now (monotonic)."""
        if now < self.due:
            return None
        excess = next(self._excesses(), None)
        self.due = time.monotonic() + LOOK
        return excess

    def _excesses(self) -> Iterator[str]:
        limits = self._limits
        found = {pid: seen for pid in self._processes() if (seen := see(pid)) is not None}
        living = found.values()
        if limits.memory is not None and self._resident(found) > limits.memory * SPARE:
            yield f"memory: more was resident than its {size(limits.memory)}"
        if limits.cpu is not None and sum(seen.cpu for seen in living) - self._before > limits.cpu:
            yield CPU.format(limits.cpu)
        threads = THREADS * (limits.processes or 1)
        if sum(seen.threads for seen in living) > threads:
            yield f"threads: more than {threads} at once"
        if limits.processes is not None and len(living) > limits.processes:
            yield f"processes: more than {limits.processes} at once"
        stored, files = self._scratch()
        if limits.scratch is not None and stored > limits.scratch:
            yield f"scratch: more than {size(limits.scratch)} in its scratch folder"
        if limits.files is not None and files > limits.files:
            yield f"files: more than {limits.files} in its scratch folder"

    def _resident(self, found: Mapping[int, Seen]) -> int:
        """Bytes that all of them have in memory; looked at more closely, which costs, when it seems to be too much."""
        resident = sum(seen.resident - self._inherited for seen in found.values())
        if len(found) == 1 or self._limits.memory is None or resident <= self._limits.memory * SPARE:
            return resident
        shares = ((procfs.share(pid), seen.resident) for pid, seen in found.items())  # forks share most of it
        return sum(seen if share is None else share for share, seen in shares)


def in_folder(path: str, most: int) -> tuple[int, int]:
    """(bytes, files) below a folder; stops counting after `most` files.

    A folder that cannot be looked into, for its mode or for the length of its path, hides files: it counts as too many.
    """
    stored = files = 0
    folders = [path]
    while folders and files <= most:
        folder = folders.pop()
        try:
            with _opened(folder) as descriptor, os.scandir(descriptor) as entries:
                for entry in entries:
                    files += 1
                    told = entry.stat(follow_symlinks=False)
                    stored += max(told.st_size, told.st_blocks * 512 - BLOCK)  # what was allocated past the end, too
                    if stat.S_ISDIR(told.st_mode):
                        folders.append(f"{folder}/{entry.name}")
                    if files > most:
                        break
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return stored, most + 1
    return stored, files


@contextlib.contextmanager
def _opened(folder: str) -> Iterator[int]:
    """A folder, and not what a link leads to that has meanwhile taken its place."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def in_removed_files(pids: Iterable[int], scratch: str) -> int:
    """Bytes in files of a scratch folder that have no name any more, but are open in one of these processes.

    One that is mapped and not open tells nobody its size, and counts as more than any folder may hold.
    """
    found: dict[tuple[int, int], int] = {}
    mapped: set[int] = set()
    for pid in pids:
        try:
            for number in os.listdir(f"/proc/{pid}/fd"):
                told = os.stat(f"/proc/{pid}/fd/{number}")
                if stat.S_ISREG(told.st_mode) and told.st_nlink == 0:
                    found[told.st_dev, told.st_ino] = max(told.st_size, told.st_blocks * 512 - BLOCK)
            mapped |= set(_removed_and_mapped(pid, scratch))
        except OSError:
            continue  # gone meanwhile
    hidden = mapped - {inode for _, inode in found}
    return sum(found.values()) + len(hidden) * UNTOLD


def _removed_and_mapped(pid: int, scratch: str) -> Iterator[int]:
    with open(f"/proc/{pid}/maps", errors="surrogateescape") as maps:
        for line in maps:
            if line.endswith(" (deleted)\n") and scratch in line:
                yield int(line.split(None, 5)[4])


def in_mount(path: str) -> tuple[int, int]:
    """(bytes, files) of a file system that holds nothing else."""
    try:
        told = os.statvfs(path)
    except OSError:
        return 0, 0
    return (told.f_blocks - told.f_bfree) * told.f_frsize, max(0, told.f_files - told.f_ffree - 1)


def size(count: int) -> str:
    """Bytes as people write them: `256 MB`."""
    for unit, name in ((1000**3, "GB"), (1000**2, "MB"), (1000, "kB")):
        if count >= unit and count % (unit // 10) == 0:
            return f"{count / unit:g} {name}"
    return f"{count} bytes"
