"""What is true of folders, files and what the kernel keeps, seen from outside: plain readings, no judgement.

What is left behind can be taken away here, too.
"""

import contextlib
import ctypes
import os
import resource
import signal
import stat
from pathlib import Path

from arena.sandbox import procfs

KEYCTL = {"x86_64": 250, "aarch64": 219}
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def scratch(pid: int, path: str) -> tuple[int, int, bool]:
    """(bytes, files, whether there is a device) in the scratch folder, as the process sees it."""
    stored = files = 0
    device = False
    folders = [f"/proc/{pid}/root{path}"]
    while folders and files < 10_000:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                told = entry.stat(follow_symlinks=False)
                stored, files = stored + told.st_blocks * 512, files + 1
                device = device or stat.S_ISCHR(told.st_mode) or stat.S_ISBLK(told.st_mode)
                if entry.is_dir(follow_symlinks=False) and len(entry.path) < 3000:
                    folders.append(entry.path)
    return stored, files, device


def marked(marks: list[str]) -> dict[str, dict[int, int]]:
    """For each of these places the processes, in whatever session they hide, whose environment names it.

    Their groups by their ids.
    """
    found: dict[str, dict[int, int]] = {mark: {} for mark in marks}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environ:
            text = environ.read()
            for mark in marks:
                if mark.encode() in text and (seen := procfs.see(int(pid))) is not None:
                    found[mark][int(pid)] = seen.group
    return found


def state(path: Path) -> tuple[object, ...]:
    """All that can be changed of a file: what is in it, its mode, times, names, attributes; `()` when it is gone."""
    try:
        told = path.stat()
        attributes = tuple(os.listxattr(path)) if hasattr(os, "listxattr") else ()
        return (path.read_bytes(), told.st_mode, told.st_mtime_ns, told.st_nlink, told.st_ino, attributes, _flags(path))
    except OSError:
        return ()


def _flags(path: Path) -> bytes:
    with path.open("rb") as file, contextlib.suppress(OSError):
        return bytes(__import__("fcntl").ioctl(file, 0x80086601, bytes(8)))
    return b""


def system_v(key: int) -> set[str]:
    """The kinds of System V objects that have this key."""
    kinds = ("shm", "msg", "sem")
    rows = {kind: Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:] for kind in kinds}
    return {kind for kind in kinds if any(int(row.split()[0]) == key for row in rows[kind])}


def remove_system_v(key: int) -> None:
    """Remove what has this key, whoever made it."""
    for kind in system_v(key):
        if kind == "shm":
            libc.shmctl(libc.shmget(key, 0, 0), 0, None)
        elif kind == "msg":
            libc.msgctl(libc.msgget(key, 0), 0, None)
        else:
            libc.semctl(libc.semget(key, 0, 0), 0, 0)


def key_of(user: int | None, tag: str, *, remove: bool = False) -> bool:
    """Whether there is a key of this name in a user's keyring (None = in our own); asked in a child."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    code = 1
    try:
        if user is not None and os.getuid() == 0 and user:
            os.setresuid(user, user, user)
        keyctl = KEYCTL[os.uname().machine]
        libc.syscall(keyctl, 0, -4, 1, 0, 0)  # make the keyring known
        key = libc.syscall(keyctl, 10, -4, b"user", tag.encode(), 0)  # search
        code = 0 if key > 0 else 1
        if key > 0 and remove:
            libc.syscall(keyctl, 9, key, -4, 0, 0)  # unlink
    finally:
        os._exit(code)


def add_key(tag: str, text: str) -> None:
    """A key in our user's keyring."""
    number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    libc.syscall(number, b"user", tag.encode(), text.encode(), len(text), -4)


def message_queue(tag: str) -> bool:
    """Whether there was a POSIX message queue of this name; there is none afterwards."""
    return libc.mq_unlink(f"/{tag}".encode()) == 0


def pending() -> set[int]:
    """The signals that wait for us, taken away."""
    found = set(signal.sigpending())
    for number in found:
        signal.sigtimedwait([number], 0)
    return found


def own_limit() -> tuple[int, int]:
    """The limit of ours that bots are told to lower."""
    return resource.getrlimit(resource.RLIMIT_SIGPENDING)


def set_own_limit(limits: tuple[int, int]) -> None:
    """Set it back, as far as we may."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (limits[0], own_limit()[1]))
