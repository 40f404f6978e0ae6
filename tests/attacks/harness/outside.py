"""Readings of processes, files and the kernel, from outside: no judgement.

What an attack leaves behind can be taken away here, too.
"""

import contextlib
import ctypes
import fcntl
import os
import platform
import resource
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from arena.sandbox import procfs
from arena.sandbox.syscalls import numbers

CALLS = numbers(platform.machine())
F_GETPIPE_SZ, FIONREAD, FS_IOC_GETFLAGS = 1032, 0x541B, 0x80086601
GET_KEYRING_ID, UNLINK, SEARCH, USER_KEYRING = 0, 9, 10, -4  # of keyctl(2)
MAPPED_BYTES = 3_000_000
"""The size that is assumed of a removed file that is mapped but not open, so that nobody can ask
for it."""
T = TypeVar("T")
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def reading(function: Callable[..., T], *arguments: Any, failed: T) -> T:
    """Return what the function returns; `failed` when the system refuses."""
    try:
        return function(*arguments)
    except OSError:
        return failed


def link(path: Path) -> str:
    """Return the target of a symbolic link; empty when the kernel does not say."""
    return reading(os.readlink, path, failed="")


def text(path: Path) -> str:
    """Return a file's text; empty when it cannot be read."""
    return reading(path.read_text, failed="")


def entries(folder: Path) -> list[Path]:
    """Return a folder's entries; none when it cannot be read."""
    return [folder / name for name in reading(os.listdir, folder, failed=[])]


def pairs(path: Path) -> dict[str, str]:
    """Return a file of lines `name: value`."""
    return dict(line.split(":", 1) for line in text(path).splitlines() if ":" in line)


class Process:
    """One process as it is at the moment of asking; what cannot be read of it is empty."""

    def __init__(self, pid: int | None) -> None:
        self.pid, self.folder = pid or 0, Path(f"/proc/{pid}")

    @property
    def state(self) -> str:
        """As in proc_pid_stat(5): R, S, T, ...; empty when it is gone."""
        return self.text("stat").rpartition(")")[2][1:2]

    @property
    def links(self) -> list[str]:
        """The targets of its descriptors."""
        return [link(entry) for entry in entries(self.folder / "fd")]

    def link(self, name: str) -> str:
        """Return where a link of its folder in /proc leads."""
        return link(self.folder / name)

    def text(self, name: str) -> str:
        """Return a text of its folder in /proc."""
        return text(self.folder / name)

    def status(self, name: str, column: int = 0) -> int:
        """Return a number of a line of proc_pid_status(5)."""
        return int(pairs(self.folder / "status")[name].split()[column])

    @property
    def user(self) -> int:
        """The user that it acts as, whoever started it."""
        return self.status("Uid", 1)

    @property
    def spaces(self) -> tuple[str, str]:
        """Its user and network namespaces."""
        return self.link("ns/user"), self.link("ns/net")

    @property
    def queued(self) -> int:
        """The signals that wait for it, at most: the kernel counts them by user, and limits each
        process's own.
        """
        return min(map(int, pairs(self.folder / "status")["SigQ"].split("/")))

    @property
    def cpu(self) -> int:
        """Nanoseconds that all its threads have used: clock_getcpuclockid(3)."""
        return time.clock_gettime_ns(~self.pid << 3 | 2)

    def treatment(self) -> dict[str, object]:
        """Return how the kernel treats it, as far as others can change that."""
        rows = [
            (line[:26].strip(), line[26:].split()) for line in self.text("limits").splitlines()[1:]
        ]
        return {
            "limits": {name: (soft, hard) for name, (soft, hard, *_) in rows},
            "priority": os.getpriority(os.PRIO_PROCESS, self.pid),
            "policy": os.sched_getscheduler(self.pid),
            "cores": os.sched_getaffinity(self.pid),
            "priority at the disk": libc.syscall(CALLS["ioprio_get"], 1, self.pid),
        }

    @property
    def pipe_size(self) -> int:
        """Bytes that its largest pipe can hold."""
        return max((_pipe(entry, F_GETPIPE_SZ) for entry in entries(self.folder / "fd")), default=0)

    @property
    def piped(self) -> int:
        """Bytes that wait in pipes of its own making, which are none of its first three."""
        return sum(
            _pipe(entry, FIONREAD) for entry in entries(self.folder / "fd") if int(entry.name) > 2
        )

    @property
    def in_flight(self) -> int:
        """Descriptors that wait in its sockets to be received."""
        return sum(int(pairs(entry).get("scm_fds", 0)) for entry in entries(self.folder / "fdinfo"))

    @property
    def memory_files(self) -> int:
        """Bytes in files that are in memory only and have no name (memfd)."""
        return sum(
            _blocks(entry)
            for entry in entries(self.folder / "fd")
            if link(entry).startswith("/memfd:")
        )

    @property
    def hidden(self) -> int:
        """Bytes of files that are in no folder any more, but open or mapped.

        Each thread is asked: it may have descriptors of its own, and the first may have left.
        """
        sizes, mapped = {}, set()
        for task in entries(self.folder / "task"):
            for entry in entries(task / "fd"):
                target = link(entry)
                if target.endswith(" (deleted)") and "/memfd:" not in target:
                    with contextlib.suppress(OSError):
                        sizes[str(entry.stat().st_ino)] = _blocks(entry)
            rows = text(task / "maps").splitlines()
            mapped |= {row.split()[4] for row in rows if "/room" in row and "(del" in row}
        return sum(sizes.values()) + len(mapped - sizes.keys()) * MAPPED_BYTES

    def find(self, secret: str) -> int:
        """Return the address at which a text stands in its memory; 0 = it is not there."""
        for line in self.text("maps").splitlines():
            span, mode, *_ = line.split()
            first, last = (int(address, 16) for address in span.split("-"))
            if mode.startswith("rw") and last - first < 1 << 24:
                offset = self.memory(first, last - first).find(secret.encode())
                if offset >= 0:
                    return first + offset
        return 0

    def memory(self, address: int, size: int) -> bytes:
        """Return what stands in its memory; empty when it cannot be read."""
        with contextlib.suppress(OSError), (self.folder / "mem").open("rb", 0) as memory:
            memory.seek(address)
            return memory.read(size)
        return b""

    def stored(self, path: str) -> tuple[int, int, bool]:
        """Return (bytes, files, whether there is a device) in a folder as it sees it."""
        size = count = 0
        device = False
        folders = [f"{self.folder}/root{path}"]
        while folders and count < 10_000:
            with contextlib.suppress(OSError), os.scandir(folders.pop()) as inside:
                for entry in inside:
                    status = entry.stat(follow_symlinks=False)
                    size, count = size + status.st_blocks * 512, count + 1
                    device = device or stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
                    if entry.is_dir(follow_symlinks=False) and len(entry.path) < 3000:
                        folders.append(entry.path)
        return size, count, device


def _blocks(entry: Path) -> int:
    """Return the bytes that a file takes, however long it says it is."""
    return reading(lambda: entry.stat().st_blocks * 512, failed=0)


def _pipe(entry: Path, question: int) -> int:
    """Return the kernel's answer about a pipe, a number; 0 for what is no pipe."""
    if not link(entry).startswith("pipe:"):
        return 0
    descriptor = reading(os.open, entry, os.O_RDONLY | os.O_NONBLOCK, failed=-1)
    if descriptor < 0:
        return 0
    try:
        if question == F_GETPIPE_SZ:
            return fcntl.fcntl(descriptor, question)
        return int.from_bytes(fcntl.ioctl(descriptor, question, bytes(4)), "little")
    finally:
        os.close(descriptor)


def marked(marks: list[str]) -> Iterator[tuple[str, int]]:
    """Yield (mark, process) for each process, in whatever session it hides, whose environment has
    one of the marks.
    """
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        variables = b""
        with (
            contextlib.suppress(OSError),
            open(f"/proc/{procfs.living(pid)}/environ", "rb", 0) as file,
        ):
            variables = file.read()
        for mark in marks:
            if mark.encode() in variables and procfs.see(pid) is not None:
                yield mark, pid


def below(pid: int) -> Iterator[int]:
    """Yield every process below this one, at any depth."""
    for child in procfs.children(pid):
        yield child
        yield from below(child)


def memory_of_the_machine(name: str) -> int:
    """Return the bytes of the machine's memory that are used for this, as /proc/meminfo calls it.

    Shared memory counts without the files in /dev/shm, where other tests have theirs.
    """
    used = int(pairs(Path("/proc/meminfo"))[name].split()[0]) * 1024
    if name != "Shmem":
        return used
    files = os.statvfs("/dev/shm")
    return used - (files.f_blocks - files.f_bfree) * files.f_frsize


def state(path: Path) -> tuple[object, ...]:
    """Return all that can be changed of a file: content, mode, times, names, attributes; `()` when
    it is gone.
    """
    try:
        status, flags = path.stat(), b""
        with (
            path.open("rb") as file,
            contextlib.suppress(OSError),
        ):  # not every file system has them
            flags = fcntl.ioctl(file, FS_IOC_GETFLAGS, bytes(8))
        names = tuple(os.listxattr(path))
        return (
            path.read_bytes(),
            status.st_mode,
            status.st_mtime_ns,
            status.st_nlink,
            status.st_ino,
            names,
            flags,
        )
    except OSError:
        return ()


def remove_system_v(key: int) -> list[str]:
    """Remove the System V objects that have this key, whoever made them; return their kinds."""
    removals = {
        "msg": lambda: libc.msgctl(libc.msgget(key, 0), 0, None),
        "sem": lambda: libc.semctl(libc.semget(key, 0, 0), 0, 0),
        "shm": lambda: libc.shmctl(libc.shmget(key, 0, 0), 0, None),
    }
    rows = {kind: Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:] for kind in removals}
    kinds = [kind for kind in removals if any(int(row.split()[0]) == key for row in rows[kind])]
    for kind in kinds:
        removals[kind]()
    return kinds


def add_key(tag: str, secret: str) -> None:
    """Add a key to our user's keyring."""
    libc.syscall(
        CALLS["add_key"], b"user", tag.encode(), secret.encode(), len(secret), USER_KEYRING
    )


def remove_key(user: int | None, tag: str) -> bool:
    """Remove the key of this name from a user's keyring (None = ours), in a child; return whether
    there was one.
    """
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    code = 1
    try:
        if user and os.getuid() == 0:
            os.setresuid(user, user, user)
        libc.syscall(
            CALLS["keyctl"], GET_KEYRING_ID, USER_KEYRING, 1, 0, 0
        )  # make the keyring known
        key = libc.syscall(CALLS["keyctl"], SEARCH, USER_KEYRING, b"user", tag.encode(), 0)
        if key > 0:
            code = 0
            libc.syscall(CALLS["keyctl"], UNLINK, key, USER_KEYRING, 0, 0)
    finally:
        os._exit(code)


def own_limit() -> tuple[int, int]:
    """Return the limit of ours, (soft, hard), that bots are told to lower."""
    return resource.getrlimit(resource.RLIMIT_SIGPENDING)


def set_own_limit(soft: int) -> None:
    """Set the limit back, as far as we may."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (soft, own_limit()[1]))


def claim(name: str) -> socket.socket | None:
    """Return a socket that has this name on the whole machine until it is closed; None when another
    socket has it.
    """
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0arena-attacks-{name}"[:100])
    except OSError:
        claim.close()
        return None
    return claim


def waited_for(name: str) -> socket.socket:
    """Return the claim to this name, as soon as no other socket has it."""
    while (claimed := claim(name)) is None:
        time.sleep(0.05)
    return claimed


def arrived(target: socket.socket) -> bool:
    """Return whether somebody connected, or sent something."""
    if target.type == socket.SOCK_STREAM:
        return reading(target.accept, failed=None) is not None
    return reading(target.recv, 100, failed=None) is not None


def connects(port: int) -> bool:
    """Return whether somebody listens at this TCP port."""
    with socket.socket() as probe:
        probe.settimeout(0.3)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def waiting(descriptor: int) -> bytes:
    """Return what can be read at once."""
    return reading(os.read, descriptor, 1 << 16, failed=b"")
