"""Makes a Python take its system for macOS: what only Linux has is gone, and who asks for it gets
an error.

`run.py` starts programs with it. The lists are those of the standard library's documentation, for
Python 3.11 on macOS.
"""

import os
import resource
import select
import signal
import sys
import sysconfig
import threading
import time

OS = """
O_PATH O_TMPFILE O_DIRECT O_LARGEFILE O_NOATIME O_RSYNC pidfd_open P_PIDFD eventfd eventfd_read eventfd_write
memfd_create copy_file_range splice pipe2 posix_fadvise posix_fallocate fdatasync getrandom getxattr setxattr listxattr
removexattr getresuid getresgid setresuid setresgid waitid setns unshare
"""
PREFIXES = (
    "sched_",
    "SCHED_",
    "EFD_",
    "MFD_",
    "SPLICE_",
    "POSIX_FADV_",
    "XATTR_",
    "CLONE_",
    "GRND_",
)
SOCKET = (
    "SO_PEERCRED SCM_CREDENTIALS SO_PASSCRED SOCK_CLOEXEC SOCK_NONBLOCK SOCK_SEQPACKET "
    "MSG_CMSG_CLOEXEC AF_NETLINK"
)
SIGNAL = "pidfd_send_signal sigtimedwait sigwaitinfo SIGRTMIN SIGRTMAX SIGPWR SIGSTKFLT SIGPOLL"
RESOURCE = (
    "prlimit RLIMIT_MSGQUEUE RLIMIT_SIGPENDING RLIMIT_NICE RLIMIT_RTPRIO RLIMIT_RTTIME RLIMIT_OFILE"
)
TIME = "CLOCK_BOOTTIME CLOCK_TAI pthread_getcpuclockid"
SYMBOLS = {"prctl", "renameat2", "sched_setaffinity", "unshare", "setns"}
"""Names of the C library."""


class NotHereError(BaseException):
    """Something of Linux was touched; no handler of arena's catches it."""


def refuse_proc(path: object) -> None:
    if isinstance(path, str | bytes | os.PathLike):
        text = os.fsdecode(path)
        if text == "/proc" or text.startswith(("/proc/", "/sys/")):
            raise NotHereError(f"{text} was opened")


def audit(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"open", "os.listdir", "os.scandir"}:
        refuse_proc(arguments[0])
    elif event == "ctypes.dlsym" and arguments[1] in SYMBOLS:
        raise AttributeError(f"symbol not found: {arguments[1]}")
    elif event in {"socket.bind", "socket.connect"}:
        name = arguments[1]
        if isinstance(name, str | bytes) and os.fsencode(name).startswith(b"\0"):
            raise NotHereError("an abstract socket")
    elif event in {"os.fork", "os.forkpty"} and threading.active_count() > 1:
        raise NotHereError("a fork beside threads")


def refusing(function: object) -> object:
    def refused(path: object, *rest: object, **named: object) -> object:
        refuse_proc(path)
        return function(path, *rest, **named)

    return refused


def clock_gettime_of_ours(function: object) -> object:
    def checked(clock: int) -> object:
        if clock < 0:
            raise NotHereError("the clock of another process")
        return function(clock)

    return checked


for name in [name for name in vars(select) if name.startswith(("epoll", "EPOLL"))]:
    del vars(select)[name]
import socket  # noqa: E402  (it tries, when it is imported, whether there is an epoll)

sysconfig.get_config_vars()  # the file that it reads is named after the platform
for module, names in (
    (os, OS),
    (socket, SOCKET),
    (signal, SIGNAL),
    (resource, RESOURCE),
    (time, TIME),
):
    for name in names.split():
        vars(module).pop(name, None)
for name in [name for name in vars(os) if name.startswith(PREFIXES)]:
    del vars(os)[name]
for name in ("stat", "lstat", "readlink", "access", "statvfs"):
    setattr(os, name, refusing(getattr(os, name)))
for name in ("clock_gettime", "clock_gettime_ns"):
    setattr(time, name, clock_gettime_of_ours(getattr(time, name)))
sys.platform = "darwin"
sys.addaudithook(audit)
