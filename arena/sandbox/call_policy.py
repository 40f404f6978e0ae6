"""The system calls that a bot may make: the tables that people read and change.

`seccomp.py` makes a filter of them. `file_policy.py` is the same for files. The levels landlock and
bubblewrap have the same filter: namespaces or Landlock hide files and processes, and the filter
closes what they leave open. It is a list of what is allowed, as container runtimes and judges have
it, so a call that nobody thought of, or that a later kernel adds, is refused.

How the list was found: `strace -f` over whole matches of every starter kit, the house bots, numpy,
Java with its collector, Node with workers, and over the builds of the compiled languages. Two kinds
of calls were seen and are still refused: those that every program can do without (`clone3`,
`io_uring_setup`), and those that break a promise of docs/confinement.md (`sendmsg`, `chmod`).
`arena check` names the refused calls that a bot makes.

An organiser allows more calls in one event by the key `syscalls` of tournament.toml, without a
change here.

A call that is not allowed fails. Calls that are older than Linux 5.1 fail with EPERM, except those
of WAY_OUT. Newer calls fail with ENOSYS, as on a kernel that does not have them: programs have
another way then, because old kernels are still in use.
"""

import errno
from typing import NamedTuple

from arena.sandbox.syscalls import COMMON, NEWEST, numbers

ALLOWED = {
    "read and write what is open": (
        "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close "
        "close_range dup dup2 dup3 fcntl ioctl fsync fdatasync ftruncate fallocate fadvise64 "
        "copy_file_range"
    ),
    "open and list files: Landlock or the mounts decide which": (
        "open openat creat access faccessat faccessat2 stat lstat fstat newfstatat statx statfs "
        "fstatfs getdents getdents64 readlink readlinkat getcwd chdir fchdir umask"
    ),
    "change the scratch folder, and a build its own folder": (
        "mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink "
        "symlinkat"
    ),
    "pipes, and a pair of sockets whose ends reach nobody but each other": (
        "pipe pipe2 socketpair sendto recvfrom shutdown getsockname getpeername getsockopt"
    ),
    "wait for what is open, and for the clock": (
        "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait "
        "epoll_pwait2 eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime "
        "timerfd_gettime"
    ),
    "memory that the limits count": "mmap munmap mprotect mremap brk madvise msync membarrier",
    "threads, and processes where a bot may have several": (
        "clone fork vfork execve execveat exit exit_group wait4 waitid set_tid_address "
        "set_robust_list rseq arch_prctl futex futex_waitv futex_wake futex_wait futex_requeue "
        "sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr "
        "sched_get_priority_max sched_get_priority_min getpriority getcpu"
    ),
    "signals to itself; restart_syscall is the kernel's own, after a freeze": (
        "kill tgkill rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend "
        "rt_sigtimedwait sigaltstack pause restart_syscall alarm setitimer getitimer"
    ),
    "read the clock": (
        "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage"
    ),
    "who it is, where it runs, and lower limits": (
        "getpid getppid gettid getpgrp getpgid getsid getuid geteuid getgid getegid getresuid "
        "getresgid getgroups capget uname sysinfo getrandom getrlimit setrlimit prlimit64 prctl "
        "personality"
    ),
}
"""The reason why programs need some calls, and their names."""

WAY_OUT = {
    # Other ways to copy; no limit counts the pages in a pipe.
    errno.EINVAL: "sendfile splice tee vmsplice",
    # Landlock does not guard attributes.
    errno.EOPNOTSUPP: (
        "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr fsetxattr"
    ),
    # Work that no thread of the bot does; memory by node and by key.
    errno.ENOSYS: "io_setup get_mempolicy pkey_alloc pkey_free pkey_mprotect",
}
"""Calls older than Linux 5.1, by the errno that makes programs take another way. For instance, Java
and Node copy in a loop where `sendfile` fails with EINVAL, and give up at EPERM."""

PROCESSES = "fork vfork"
"""A bot that may be one process only is refused these calls, and `clone` unless it makes a
thread."""
FORKS = frozenset(PROCESSES.split()) | {"clone"}
"""The allowed calls by which a process is made."""


ALL_BITS = 0xFFFFFFFF


class Check(NamedTuple):
    """A condition on an argument of a call.

    Only the low 32 bits of the argument are checked, as the kernel takes no more of an int.
    """

    argument: int
    """Its index, from 0 on."""
    values: tuple[int, ...]
    """The call is allowed when the masked argument is one of these."""
    mask: int = ALL_BITS
    inverted: bool = False
    """The call is refused when the masked argument is one of the values, and allowed otherwise."""


OWN_PID = 0x9E0B071D
"""A value in the place of the bot's process id, which is known after the fork only; larger than any
process id."""
SIGKILL, SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU = 9, 17, 18, 19, 20, 21, 22
NO_SIGCONT = Check(1, (SIGCONT,), inverted=True)
"""A frozen bot must not wake itself or a sibling, nor cancel a SIGSTOP that is on its way
(`freezer.py`)."""

O_ACCMODE, O_TRUNC, O_TMPFILE = 0o3, 0o1000, 0o20000000
OPEN_FLAGS = Check(0, (0, 1, 2, O_TRUNC | 1, O_TRUNC | 2), mask=O_ACCMODE | O_TRUNC | O_TMPFILE)
"""Open to read, to write or both; empty a file only if it is opened for writing; make no file
without a name.

Landlock asks for the right to write when a file is opened for writing, and below its third version
for nothing more: O_RDONLY with O_TRUNC empties any file. It asks for no right at all for access
mode 3 (for ioctl only). A file without a name takes space in the scratch folder, and the watchdog
cannot find it in the folder."""

MAP_SHARED, MAP_PRIVATE, MAP_TYPE = 1, 2, 0xF
MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x20, 0x100, 0x40000

CLONE_FILES, CLONE_PARENT, CLONE_THREAD = 0x400, 0x8000, 0x10000
CLONE_NEW = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; NEWTIME is for clone3 and
unshare only."""
CLONE_KIND = CLONE_THREAD | CLONE_FILES | CLONE_PARENT
THREAD = CLONE_THREAD | CLONE_FILES
"""A thread shares the descriptors of its process: with a table of its own it could hold files that
nobody else sees."""

AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE = 1, 1, 5, 0xF
MSG_OOB = 1
CLOSE_RANGE_CLOEXEC = 4
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2
PRCTL = {
    2: "GET_PDEATHSIG",
    3: "GET_DUMPABLE",
    7: "GET_KEEPCAPS",
    15: "SET_NAME",
    16: "GET_NAME",
    21: "GET_SECCOMP",
    23: "CAPBSET_READ",
    25: "GET_TSC",
    29: "SET_TIMERSLACK",
    30: "GET_TIMERSLACK",
    38: "SET_NO_NEW_PRIVS",
    39: "GET_NO_NEW_PRIVS",
    41: "SET_THP_DISABLE",
    42: "GET_THP_DISABLE",
    52: "GET_SPECULATION_CTRL",
    50: "SVE_SET_VL",  # this one and the next four are for aarch64
    51: "SVE_GET_VL",
    54: "PAC_RESET_KEYS",
    55: "SET_TAGGED_ADDR_CTRL",
    56: "GET_TAGGED_ADDR_CTRL",
    0x53564D41: "SET_VMA",  # names memory
    0x41555856: "GET_AUXV",
}
"""The options of prctl that bots may use, by their numbers, which are from prctl(2).

SET_PDEATHSIG, SET_DUMPABLE, SET_MM, SET_CHILD_SUBREAPER, SCHED_CORE, SET_PTRACER and SET_SECCOMP
are missing: a bot could outlive its spawner, hide from the watchdog, look like another program,
adopt processes, keep others off half of a core, let others trace it, and load its own programs into
the kernel."""

SET_PDEATHSIG = 1
MADVISE = {
    0: "NORMAL",
    1: "RANDOM",
    2: "SEQUENTIAL",
    3: "WILLNEED",
    4: "DONTNEED",
    8: "FREE",
    10: "DONTFORK",
    11: "DOFORK",
    14: "HUGEPAGE",
    15: "NOHUGEPAGE",
    16: "DONTDUMP",
    17: "DODUMP",
    18: "WIPEONFORK",
    19: "KEEPONFORK",
    102: "GUARD_INSTALL",
    103: "GUARD_REMOVE",
}
"""The advice of madvise(2) that bots may give, by its number in asm-generic/mman-common.h.

MERGEABLE is missing, because it shows whether somebody else has the same page. COLD and PAGEOUT are
missing, because they move memory to where the watchdog does not count it. POPULATE_READ,
POPULATE_WRITE and COLLAPSE are missing, because they work on gigabytes until they are done, even if
the bot is frozen meanwhile: a hundred threads in such a call take seconds."""

CPU_CLOCK, OF_A_THREAD = 0x80000000, 4
OTHERS_CLOCKS = Check(0, (CPU_CLOCK,), mask=CPU_CLOCK | OF_A_THREAD, inverted=True)
"""Not the CPU clock of a process by its number: any process may read that of any other, or sleep on
it, and so learn how long it thinks. A thread's clock can be read by its own process only, and
CLOCK_PROCESS_CPUTIME_ID is the reader's own. Source: clock_getcpuclockid(3). For the same reason
`sched_rr_get_interval` is not allowed: it tells of any process whether its core is busy. Other
calls that take the number of any process tell what does not change while it thinks."""

CHECKS = {
    "clone": (Check(0, (0,), mask=CLONE_NEW), Check(0, (0, SIGCHLD), mask=0xFF)),  # and more below
    "clock_getres": (OTHERS_CLOCKS,),
    "clock_gettime": (OTHERS_CLOCKS,),
    "clock_nanosleep": (OTHERS_CLOCKS,),
    # Not UNSHARE, which gives a thread a table of descriptors of its own.
    "close_range": (Check(2, (0, CLOSE_RANGE_CLOEXEC)),),
    # Not DONTNEED: by what is in the page cache, a bot could leave a note to a later bot.
    "fadvise64": (Check(3, (0, 1, 2, 3, 5)),),
    "fallocate": (Check(1, (0,)),),  # not past the end of a file, which RLIMIT_FSIZE does not count
    # DUPFD GETFD SETFD GETFL SETFL GETOWN DUPFD_QUERY DUPFD_CLOEXEC GETPIPE_SZ GET_SEALS: no locks,
    # leases, notices, no owner of a file's signals, no larger pipe; fcntl(2)
    "fcntl": (Check(1, (0, 1, 2, 3, 4, 9, 1027, 1030, 1032, 1034)),),
    # Not LOCK_PI UNLOCK_PI TRYLOCK_PI WAIT_REQUEUE_PI CMP_REQUEUE_PI LOCK_PI2, with whatever flags:
    # such a lock names its owner, which can be any thread of the machine, and the kernel tells when
    # it ends; futex(2)
    "futex": (Check(1, (6, 7, 8, 11, 12, 13), mask=0x7F, inverted=True),),
    # TCGETS TIOCGPGRP TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX TCGETS2: no faked input
    # (TIOCSTI), no owner (FIOSETOWN, FIOASYNC), no flags of files (FS_IOC_...), for which it is
    # enough to have opened a file; ioctl_list(2)
    "ioctl": (Check(1, (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)),),
    "kill": (NO_SIGCONT,),
    "madvise": (Check(2, tuple(MADVISE)),),
    # Private memory and shared files. Pages of shared memory without a file stay when they are
    # unmapped or given up (MADV_DONTNEED), and are then counted nowhere; huge pages and what grows
    # downwards are not counted as data.
    "mmap": (
        Check(
            3,
            (MAP_SHARED, MAP_PRIVATE, MAP_PRIVATE | MAP_ANONYMOUS),
            mask=MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_HUGETLB,
        ),
    ),
    "open": (OPEN_FLAGS._replace(argument=1),),
    "openat": (OPEN_FLAGS._replace(argument=2),),
    # The normal one, and 0xFFFFFFFF, which asks for it.
    "personality": (Check(0, (0, 0xFFFFFFFF)),),
    "prctl": (Check(0, tuple(PRCTL)),),
    "preadv2": (Check(5, (0,)),),  # not RWF_NOWAIT, which tells what is in the page cache
    "prlimit64": (Check(0, (0,)),),  # of itself
    "pwritev2": (Check(5, (0,)),),
    # Not WHITEOUT, which makes a device.
    "renameat2": (Check(4, (0, RENAME_NOREPLACE, RENAME_EXCHANGE)),),
    # Linux had holes in how pairs of sockets handle urgent data.
    "recvfrom": (Check(3, (0,), mask=MSG_OOB),),
    "sendto": (Check(3, (0,), mask=MSG_OOB),),
    # An end of a pair of datagram sockets can send to any socket that has a path, such as the one
    # of the system's log.
    "socketpair": (Check(0, (AF_UNIX,)), Check(1, (SOCK_STREAM, SOCK_SEQPACKET), mask=SOCK_TYPE)),
    "tgkill": (NO_SIGCONT._replace(argument=2),),
}
"""The conditions on the arguments of an allowed call; all of them must hold. `sendmsg` and
`recvmsg` cannot be checked so, because their data stands in memory. They could send a descriptor,
and while it is on its way neither it nor its file is in any table that the watchdog reads."""

NETWORKED = (
    "socket connect bind listen accept accept4 setsockopt recvmsg recvmmsg setsid setpgid "
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat "
    "utimensat truncate flock"
)
"""Further calls of a program in a network and a mount namespace of its own (`own_network.py`).

There its sockets reach nobody, and whatever it may not write to is read-only, also for `chmod` and
`truncate`. `sendmsg` is missing, for the reason that stands at CHECKS."""
AF_INET, AF_INET6, TCP, UDP = 2, 10, 6, 17
TERMINAL_CALLS = (
    *(0x5402, 0x5403, 0x5404, 0x5409, 0x540A, 0x540B, 0x540E, 0x5410, 0x5414, 0x5422, 0x5429),
    *(0x80045430, 0x40045431, 0x5441, 0x402C542B, 0x402C542C, 0x402C542D),
)
"""TCSETS TCSETSW TCSETSF TCSBRK TCXONC TCFLSH TIOCSCTTY TIOCSPGRP TIOCSWINSZ TIOCNOTTY TIOCGSID
TIOCGPTN TIOCSPTLCK TIOCGPTPEER TCSETS2 TCSETSW2 TCSETSF2; not TIOCSTI. The terminals are its
own."""
NETWORKED_CHECKS = {
    "ioctl": (CHECKS["ioctl"][0]._replace(values=CHECKS["ioctl"][0].values + TERMINAL_CALLS),),
    # No socket with a path: neither Landlock nor a read-only mount guards a connection to one.
    "socket": (
        Check(0, (AF_INET, AF_INET6)),
        Check(1, (SOCK_STREAM, 2), mask=SOCK_TYPE),
        Check(2, (0, TCP, UDP)),
    ),
    # F_GETLK, F_SETLK, F_SETLKW: package managers lock their files.
    "fcntl": (CHECKS["fcntl"][0]._replace(values=(*CHECKS["fcntl"][0].values, 5, 6, 7)),),
    # Agents have the kernel end the commands that they run together with themselves. It takes
    # nothing away that held: a child of an agent is not killed with the spawner in any case.
    "prctl": (Check(0, (SET_PDEATHSIG, *PRCTL)),),
}
"""The conditions on the arguments of its calls, in place of those in CHECKS."""

NO_END_BY_OTHERS = Check(1, (SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU), inverted=True)
RLIMIT_CPU = 0
OF_ONE_PROCESS = {
    "clone": (Check(0, (THREAD,), mask=CLONE_KIND),),  # threads only
    "kill": (NO_END_BY_OTHERS,),
    # It may not read this limit either: a filter cannot see all of a pointer.
    "prlimit64": (Check(1, (RLIMIT_CPU,), inverted=True),),
    "setrlimit": (Check(0, (RLIMIT_CPU,), inverted=True),),
    "tgkill": (NO_END_BY_OTHERS._replace(argument=2),),
}
"""Further conditions for a bot of one process. It does nothing to itself that looks like a kill or
a stop by somebody else, for which its match would be played again (`Child.cannot_kill_itself`). A
limit on CPU time kills, too."""
OF_SEVERAL = {"clone": (Check(0, (THREAD, 0, CLONE_FILES), mask=CLONE_KIND),)}
"""Further conditions for a bot of several processes: children too, not siblings. It may kill and
stop its children, and so these may do that to it: whatever ends it is its own doing."""

TO_ITSELF = {"kill": Check(0, (OWN_PID,)), "tgkill": Check(0, (OWN_PID,))}
"""Further conditions for a bot that sees other processes than its own: it may send signals to
itself only."""


def allowed(*, networked: bool = False) -> frozenset[str]:
    """Return the names of all calls that may be allowed to a bot."""
    names = frozenset(" ".join(ALLOWED.values()).split())
    if networked:
        names |= set(NETWORKED.split())
    return names


def refusals(arch: str) -> list[int]:
    """Return the errno with which each call fails that is not allowed, by its number."""
    special: dict[str, int] = {}
    for answer, names in WAY_OUT.items():
        answer_of_calls = dict.fromkeys(names.split(), answer)
        special.update(answer_of_calls)
    answers = [errno.ENOSYS] * (NEWEST + 1)
    for name, number in numbers(arch).items():
        if number < COMMON:
            answers[number] = special.get(name, errno.EPERM)
    return answers
