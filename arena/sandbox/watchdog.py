"""The watchdog: finds a bot that uses too much memory, CPU, threads, processes or scratch.

Theory of operation
-------------------

Purpose. The kernel's limits (`rlimits.py`) count one process at a time, and not everything: shared
memory, the kernel's page tables, files without a name, children. The watchdog looks from outside at
the whole bot. It only reports a failure; its caller ends the bot. A look is due every
WATCHDOG_INTERVAL_S while the bot is awake, for the first time that long after its start. Between
two looks a bot can take some ten megabytes more than it may.

Memory. Resident memory also has the interpreter's own file pages, which RLIMIT_DATA does not count.
So a bot may have RESIDENT_FACTOR times its limit. The page tables are added, because they can be
larger than what they lead to: a page of zeros that is only read costs no memory, but up to 8 kB of
tables. Forks share most of their memory, and to read what each has of it is slow. So it is read
only when the plain sum seems to be too much.

CPU time. /proc shows it in clock ticks (10 ms on most systems), with that of reaped children; a
cgroup counts it all.

Scratch. Nothing is counted until the bot has made its first file, if the time of change of its
folder can be trusted to show that. A folder is counted while the bot may change it, so it is
counted again with the bot stopped. Also counted are files that have no name any more and are still
open, and what was allocated beyond a file's end. A file without a name that is mapped and not open
shows its size to nobody, so it counts as more than any limit.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping

from arena.failure import Cause, Failure
from arena.sandbox import procfs
from arena.sandbox.child import Child
from arena.sandbox.procfs import ProcessUsage, see

WATCHDOG_INTERVAL_S = 0.025
BLOCK_BYTES = 4096
"""A file system rounds a file's size up to this."""
STAT_BLOCK_BYTES = 512
"""The unit of st_blocks."""
UNKNOWN_BYTES = 1 << 40
"""The size of a file whose size nobody can read."""
MANY_FILES = 1_000_000
"""Where there is no limit on files, counting ends here."""
THREADS = 128
"""The most threads for each process that is allowed: a JVM has 30, and each costs the kernel 16 kB
and more. The same number limits the zombies: children that ended and that the bot has not
reaped."""
RESIDENT_FACTOR = 1.25
STILL_S = 0.01
"""The longest wait until a bot has stopped: a thread that has no core, or waits for the disk, moves
no files either."""
MORE_CPU = "it used more than the {:g} seconds of CPU that it may"


class Watchdog:
    """Looks at the processes and the scratch folder of one bot."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._limits = child.limits
        self.due = time.monotonic() + WATCHDOG_INTERVAL_S
        """The moment (monotonic) from which on a look is due."""
        self._cpu_before = 0.0
        """Seconds of CPU that were used in earlier matches, and do not count."""
        self.peak = 0
        """The most bytes that were resident in any of its processes at a look, beyond the
        inherited."""

    def begin_again(self) -> None:
        """Begin another match: the CPU time that the bot used so far does not count."""
        usages = map(see, self._child.processes())
        self._cpu_before = self._cpu(usage for usage in usages if usage is not None)

    def look(self, now: float) -> Failure | None:
        """Return which limit is exceeded; None while none is.

        Return None when no look is due at `now` (monotonic).
        """
        if now < self.due:
            return None
        excess = None
        first_excess = next(self._excesses(), None)
        if first_excess is not None:
            cause, text = first_excess
            excess = Failure(cause=cause, words=f"{cause}: {text}")
        self.due = time.monotonic() + WATCHDOG_INTERVAL_S
        return excess

    def _excesses(self) -> Iterator[tuple[Cause, str]]:
        limits = self._limits
        inherited = self._child.inherited
        pids = tuple(self._child.processes())
        usages: dict[int, ProcessUsage] = {}
        for pid in pids:
            usage = see(pid)
            if usage is not None:
                usages[pid] = usage
                self.peak = max(self.peak, usage.resident - inherited)
        living = usages.values()

        if limits.memory is not None:
            most_resident = limits.memory * RESIDENT_FACTOR
            if self._resident(usages) > most_resident:
                yield Cause.MEMORY, f"more was resident than its {size(limits.memory)}"
        if limits.cpu is not None:
            used_cpu = self._cpu(living) - self._cpu_before
            if used_cpu > limits.cpu:
                yield Cause.CPU, MORE_CPU.format(limits.cpu)
        most_threads = THREADS * (limits.processes or 1)
        if sum(usage.threads for usage in living) > most_threads:
            yield Cause.THREADS, f"more than {most_threads} at once"
        if limits.processes is not None and len(living) > limits.processes:
            yield Cause.PROCESSES, f"more than {limits.processes} at once"
        if len(pids) - len(usages) > most_threads:
            yield (
                Cause.PROCESSES,
                f"more than {most_threads} that have ended, and that it did not wait for",
            )
        stored, files = stored_by(self._child)
        if limits.scratch is not None and stored > limits.scratch:
            yield Cause.SCRATCH, f"more than {size(limits.scratch)} in its scratch folder"
        if limits.files is not None and files > limits.files:
            yield Cause.FILES, f"more than {limits.files} in its scratch folder"

    def _cpu(self, usages: Iterable[ProcessUsage]) -> float:
        """Return the CPU seconds of all processes of the bot."""
        cpu = sum(usage.cpu for usage in usages)
        cgroup = self._child.cgroup
        if cgroup is None or self._child.cannot_fork:
            return cpu
        return max(cgroup.cpu(), cpu)

    def _resident(self, usages: Mapping[int, ProcessUsage]) -> int:
        """Return the bytes that all processes have in memory, with their page tables."""
        tables = sum(map(procfs.page_tables, usages))
        inherited = self._child.inherited
        residents = [usage.resident - inherited for usage in usages.values()]
        plain_sum = tables + sum(residents)
        limit = self._limits.memory
        if len(usages) == 1 or limit is None or plain_sum <= limit * RESIDENT_FACTOR:
            return plain_sum
        shares = 0
        for pid, usage in usages.items():
            share = procfs.share(pid)
            if share is None:
                share = usage.resident
            shares += share
        return tables + shares


def stored_by(child: Child) -> tuple[int, int]:
    """Return (bytes, files) of all that a bot may write.

    It could move its files to a folder that was counted already. So where there are any files they
    are counted again while the bot is stopped; not in a build, which may have very many and is
    counted again at its end.
    """
    if child.level.wrapped and not child.spec.builds:
        pid = child.program()
        if not pid:
            return 0, 0
        return in_mount(f"/proc/{procfs.living(pid)}/root{child.spec.scratch}")
    if child.has_no_files:
        return 0, 0
    folders = [child.spec.scratch]
    if child.spec.builds:
        folders.append(child.spec.home)
    most = child.limits.files or MANY_FILES
    stored, files = in_folders(folders, most)
    if files and not child.spec.builds:
        with _stopped(child):
            stored, files = in_folders(folders, most)
            removed = in_removed_files(child.processes(), child.spec.scratch)
            return stored + removed, files
    scratch = child.spec.place(child.spec.scratch)
    removed = in_removed_files(child.processes(), scratch)
    return stored + removed, files


@contextlib.contextmanager
def _stopped(child: Child) -> Iterator[None]:
    """Stop a bot, and wait up to STILL_S until all its threads have stopped; wake it at the end."""
    child.freeze()
    try:
        until = time.monotonic() + STILL_S
        while time.monotonic() < until and not _is_stopped(child):
            time.sleep(STILL_S / 40)
        yield
    finally:
        child.thaw()


def _is_stopped(child: Child) -> bool:
    for pid in child.processes():
        for state in procfs.states(pid):
            if state not in procfs.STOPPED:
                return False
    return True


def in_folders(paths: Iterable[str], most: int) -> tuple[int, int]:
    """Return (bytes, files) below some folders; stop counting after `most` files.

    A folder that cannot be opened, because of its mode or the length of its path, hides files: it
    counts as too many.
    """
    stored = files = 0
    folders = list(paths)
    while folders and files <= most:
        folder = folders.pop()
        try:
            with _opened_folder(folder) as descriptor, os.scandir(descriptor) as entries:
                for entry in entries:
                    files += 1
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        # Perhaps renamed meanwhile; the entries after it count all the same.
                        continue
                    stored += _stored(status)
                    if stat.S_ISDIR(status.st_mode):
                        folders.append(f"{folder}/{entry.name}")
                    if files > most:
                        break
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return stored, most + 1
    return stored, files


@contextlib.contextmanager
def _opened_folder(folder: str) -> Iterator[int]:
    """Open a folder, and never the target of a link that a bot has put there meanwhile."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(folder, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _stored(status: os.stat_result) -> int:
    """Return the bytes of a file, with what was allocated beyond its end."""
    return max(status.st_size, status.st_blocks * STAT_BLOCK_BYTES - BLOCK_BYTES)


def in_removed_files(pids: Iterable[int], scratch: str) -> int:
    """Return the bytes in files of a scratch folder that have no name any more.

    These processes hold the files.
    """
    sizes: dict[tuple[int, int], int] = {}
    mapped: set[int] = set()
    for pid in map(procfs.living, pids):
        try:
            for number in os.listdir(f"/proc/{pid}/fd"):
                status = os.stat(f"/proc/{pid}/fd/{number}")
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    sizes[status.st_dev, status.st_ino] = _stored(status)
            mapped |= _removed_and_mapped(pid, scratch)
        except OSError:
            continue  # gone meanwhile
    inodes = {inode for _, inode in sizes}
    not_open = mapped - inodes
    return sum(sizes.values()) + len(not_open) * UNKNOWN_BYTES


def _removed_and_mapped(pid: int, scratch: str) -> set[int]:
    """Return the inodes of the files without a name that are mapped.

    Raise OSError if it is gone.
    """
    with open(f"/proc/{pid}/maps", errors="surrogateescape") as maps:
        removed = [line for line in maps if line.endswith(" (deleted)\n") and scratch in line]
    inodes = set()
    for line in removed:
        _, _, _, _, inode, _ = line.split(None, 5)
        inodes.add(int(inode))
    return inodes


def in_mount(path: str) -> tuple[int, int]:
    """Return (bytes, files) of a whole file system."""
    try:
        status = os.statvfs(path)
    except OSError:
        return 0, 0
    stored = (status.f_blocks - status.f_bfree) * status.f_frsize
    files = status.f_files - status.f_ffree - 1
    return stored, max(0, files)


def size(count: int) -> str:
    """Return a number of bytes as people write it: `256 MB`."""
    for unit, name in ((1000**3, "GB"), (1000**2, "MB"), (1000, "kB")):
        if count >= unit and count % (unit // 10) == 0:
            return f"{count / unit:g} {name}"
    return f"{count} bytes"
