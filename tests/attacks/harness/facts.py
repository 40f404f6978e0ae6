"""What is true of a process, seen from outside: plain readings, no judgement."""

import contextlib
import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

IOPRIO_GET = {"x86_64": 252, "aarch64": 31}
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One living process."""

    state: str
    """As in /proc/PID/stat: R, S, T, ..."""
    descriptors: tuple[str, ...]
    """Where its descriptors lead."""
    stored: int
    """Bytes of files that are in no folder any more, but open or mapped."""
    pipe: int
    """Bytes that its largest pipe can hold."""
    namespaces: dict[str, str]
    mounts: str
    root: str
    program: str
    uid: int
    tracer: int
    dumpable: bool
    personality: int
    limits: dict[str, tuple[str, str]]
    """By name: soft and hard."""
    priority: int
    policy: int
    cores: frozenset[int]
    disk: int
    """Its priority at the disk."""


def of(pid: int) -> Facts | None:
    """A process, if it is there; what cannot be read of it is as if it were not."""
    process = Path(f"/proc/{pid}")
    try:
        state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    except OSError:
        return None
    with contextlib.suppress(ProcessLookupError):
        return Facts(
            state=state,
            descriptors=tuple(link(entry) for entry in _list(process / "fd")),
            stored=_hidden(process),
            pipe=max((_pipe(entry) for entry in _list(process / "fd")), default=0),
            namespaces={entry.name: link(entry) for entry in _list(process / "ns")},
            mounts=_text(process / "mountinfo"),
            root=link(process / "root"),
            program=link(process / "exe"),
            uid=int(status["Uid"].split()[1]),
            tracer=int(status["TracerPid"]),
            dumpable=(process / "fd").stat().st_uid == int(status["Uid"].split()[1]),
            personality=int(_text(process / "personality") or "0", 16),
            limits=_limits(_text(process / "limits")),
            priority=os.getpriority(os.PRIO_PROCESS, pid),
            policy=os.sched_getscheduler(pid),
            cores=frozenset(os.sched_getaffinity(pid)),
            disk=libc.syscall(IOPRIO_GET[os.uname().machine], 1, pid),
        )
    return None


def waits(pid: int) -> bool:
    """Whether this is a child of the spawner that waits to become a bot."""
    return _text(Path(f"/proc/{pid}/comm")) == "arena-spare\n"


def stopped(pid: int | None) -> bool | None:
    """Whether every thread of it is stopped; None when it is gone."""
    try:
        stats = [(task / "stat").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return None
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


def _list(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def link(path: Path) -> str:
    """Where it leads; empty when that is not told."""
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _hidden(process: Path) -> int:
    """Of files without a name: those that are open by their true size, those that are mapped by what is known."""
    stored, seen = 0, set()
    for entry in _list(process / "fd"):
        target = link(entry)
        if target.endswith(" (deleted)") and "/memfd:" not in target:
            with contextlib.suppress(OSError):
                told = entry.stat()
                stored += told.st_blocks * 512
                seen.add(str(told.st_ino))
    mapped = {
        line.split()[4] for line in _text(process / "maps").splitlines() if "/scratch/" in line and "(del" in line
    }
    return stored + len(mapped - seen) * 3_000_000


def _pipe(entry: Path) -> int:
    if not link(entry).startswith("pipe:"):
        return 0
    try:
        descriptor = os.open(entry, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return 0
    try:
        return int(__import__("fcntl").fcntl(descriptor, 1032))  # F_GETPIPE_SZ
    finally:
        os.close(descriptor)


def _limits(text: str) -> dict[str, tuple[str, str]]:
    rows = [(line[:26].strip(), line[26:].split()) for line in text.splitlines()[1:]]
    return {name: (words[0], words[1]) for name, words in rows}


def memory_files(pid: int) -> int:
    """Bytes in files that are in memory only and have no name (memfd)."""
    stored = 0
    for entry in _list(Path(f"/proc/{pid}/fd")):
        if link(entry).startswith("/memfd:"):
            with contextlib.suppress(OSError):
                stored += entry.stat().st_blocks * 512
    return stored
