"""The seccomp filter: its programs on a machine of the test's own, for both architectures, and on
the real kernel.
"""

import errno
import itertools
import json
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandbox import call_policy as policy
from arena.sandbox import seccomp, syscalls

ARCHES = ("x86_64", "aarch64")
PID = 4321
FREE, KILLED = "free", "killed"
REFUSED, ABSENT = errno.EPERM, errno.ENOSYS
NUMBERS = {arch: syscalls.numbers(arch) for arch in ARCHES}
ORDINARY = {
    # what programs cannot do without, whatever the arguments: on x86-64, on aarch64
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "brk": (12, 214),
    "munmap": (11, 215),
    "mprotect": (10, 226), "rt_sigaction": (13, 134), "ppoll": (271, 73), "execve": (59, 221),
    "exit_group": (231, 94), "getrandom": (318, 278), "getpid": (39, 172),
    "nanosleep": (35, 101), "epoll_pwait": (281, 22), "pipe2": (293, 59),
    "wait4": (61, 260), "unlinkat": (263, 35), "ftruncate": (77, 46), "statx": (332, 291),
    "sched_yield": (24, 124), "rseq": (334, 293), "sched_getaffinity": (204, 123),
    "faccessat2": (439, 439),
    "futex_wait": (455, 455), "set_robust_list": (273, 99), "restart_syscall": (219, 128),
    "newfstatat": (262, 79),
}  # fmt: skip
CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")
"""The calls with a clock that are allowed to bots."""
JUDGED = {*policy.CHECKS, *policy.OF_ONE_PROCESS, *policy.TO_ITSELF, *policy.PROCESSES.split()}
HIGH = 0xDEADBEEF << 32  # bits that the kernel does not look at in an int


def machine(program, audit, number, args=()):
    """Run a program as the kernel does; return (its answer, the offsets that it looked at, how many
    steps it took).
    """
    data = struct.pack(
        "<IIQ6Q", number, audit, 0, *(a & (2**64 - 1) for a in (*args, *[0] * (6 - len(args))))
    )
    code = list(struct.iter_unpack("=HBBI", program))
    at, steps, taken, seen = 0, 0, 0, set()
    while True:
        steps += 1
        opcode, yes, no, operand = code[at]
        at += 1
        if opcode == 0x06:
            return operand, seen, steps
        if opcode == 0x20:
            seen.add(operand)
            (taken,) = struct.unpack_from("<I", data, operand)
        elif opcode == 0x54:
            taken &= operand
        elif opcode == 0x05:
            at += operand
        else:
            test = {0x15: taken == operand, 0x35: taken >= operand, 0x45: bool(taken & operand)}[
                opcode
            ]
            at += yes if test else no


def meaning(answer):
    """Return the answer in the words of this test; a KeyError for any that the filter has no
    business to give.
    """
    if answer >> 16 == 5:
        return answer & 0xFFFF
    return {0x7FFF0000: FREE, 0x80000000: KILLED}[answer]


def number_of(arch, call):
    return ORDINARY[call][ARCHES.index(arch)] if call in ORDINARY else NUMBERS[arch][call]


def built(arch, processes=1, pid=PID, allowed=(), **kinds):
    """Return the program for a bot with this pid on a machine of either architecture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seccomp, "arch", lambda: arch)
        return seccomp.program_for(processes, allowed, pid, **kinds)


def asked(arch, call, *args, processes=1, pid=PID):
    """Return the answer to a bot with this pid; pid None = in a pid namespace."""
    program = built(arch, processes, pid)
    number = call if isinstance(call, int) else number_of(arch, call)
    return meaning(machine(program, seccomp.AUDIT[arch], number, args)[0])


both = pytest.mark.parametrize("arch", ARCHES)


# The numbers.

NOT_FOR_US = {"uretprobe", "uprobe", "arch_specific_syscall", "sync_file_range2"}
"""For trampolines that the kernel makes itself, where numbers begin that other architectures use,
and a second name."""
RENAMED = {"fstatat": "newfstatat"}
"""Calls that the header names otherwise than the kernel does."""


def header(path, prefix):
    file = Path(path)
    if not file.exists():
        pytest.skip(f"{path} is not installed")
    calls = {
        m[1]: int(m[2]) for m in re.finditer(rf"#define {prefix}(\w+)\s+(\d+)\b", file.read_text())
    }
    calls.pop("syscalls", None)  # how many there are
    return calls


@pytest.mark.parametrize(
    ("arch", "path", "prefix"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "__NR_"),
        ("aarch64", "/usr/include/asm-generic/unistd.h", "__NR(?:3264)?_"),
    ],
)
def test_the_numbers_are_those_of_the_kernels_headers(arch, path, prefix):
    names = header(path, prefix)
    # those of 32-bit systems, that is, with a time of 64 bits, share the header
    names = {RENAMED.get(name, name): n for name, n in names.items() if not name.endswith("time64")}
    ours = {name: n for name, n in NUMBERS[arch].items() if n <= max(names.values())}
    assert ours == {name: n for name, n in names.items() if name not in NOT_FOR_US}
    assert all(NUMBERS[arch][name] == number_of(arch, name) for name in ORDINARY)


def test_every_call_of_the_policy_exists_and_has_its_home():
    everywhere = [*" ".join((*policy.ALLOWED.values(), *policy.WAY_OUT.values())).split()]
    assert len(set(everywhere)) == len(everywhere)
    assert set(everywhere) <= set(NUMBERS["x86_64"])
    judged = JUDGED
    assert judged <= policy.allowed()
    assert set(NUMBERS["aarch64"]) < set(NUMBERS["x86_64"])


@both
def test_no_two_calls_have_the_same_number(arch):
    assert len(set(NUMBERS[arch].values())) == len(NUMBERS[arch])


# The rules.


@both
@pytest.mark.parametrize("pid", [PID, None])
@pytest.mark.parametrize("processes", [1, 2])
def test_every_call_that_is_not_in_the_list_fails(arch, processes, pid):
    """A number below 424 as a call that is refused, all others, and those without a call, as on an
    older kernel.
    """
    free = set(NUMBERS[arch]) & policy.allowed()
    special = {name: answer for answer, names in policy.WAY_OUT.items() for name in names.split()}
    names = {number: name for name, number in NUMBERS[arch].items()}
    for number in range(syscalls.NEWEST + 1):
        name = names.get(number)
        expected = ABSENT if name is None or number >= 424 else special.get(name, REFUSED)
        if name not in free:
            assert asked(arch, number, processes=processes, pid=pid) == expected, name
        elif name not in JUDGED:
            assert asked(arch, number, processes=processes, pid=pid) == FREE, name


@both
def test_an_organiser_can_allow_a_call_and_that_call_alone(arch):
    programs = built(arch, allowed=("memfd_create", "kill")), built(arch)
    for name, number in NUMBERS[arch].items():
        answers = [
            meaning(machine(program, seccomp.AUDIT[arch], number, (PID + 1, policy.SIGCONT))[0])
            for program in programs
        ]
        assert answers[0] == (FREE if name in ("memfd_create", "kill") else answers[1])


@both
def test_what_programs_live_on_is_free_and_free_of_charge(arch):
    program = built(arch)
    for call in ORDINARY:
        for processes, pid in itertools.product((1, 2), (PID, None)):
            assert (
                asked(arch, call, *[HIGH + 0xFFFFFFFF] * 6, processes=processes, pid=pid) == FREE
            ), call
        answer, seen, _ = machine(program, seccomp.AUDIT[arch], number_of(arch, call))
        assert meaning(answer) == FREE, call
        assert seen == {seccomp.NUMBER, seccomp.ARCHITECTURE}, (
            call
        )  # so that the kernel can keep it in its bitmap


F = {
    "DUPFD": 0,
    "SETFD": 2,
    "GETFL": 3,
    "SETFL": 4,
    "SETLK": 6,
    "SETLKW": 7,
    "SETOWN": 8,
    "SETSIG": 10,
}
F |= {
    "SETOWN_EX": 15,
    "OFD_GETLK": 36,
    "OFD_SETLK": 37,
    "OFD_SETLKW": 38,
    "SETLEASE": 1024,
    "NOTIFY": 1026,
}
F |= {"DUPFD_CLOEXEC": 1030, "SETPIPE_SZ": 1031, "GETPIPE_SZ": 1032, "SET_RW_HINT": 1036}
IO = {
    "TCGETS": 0x5401,
    "TIOCSCTTY": 0x540E,
    "TIOCSTI": 0x5412,
    "TIOCGWINSZ": 0x5413,
    "TIOCLINUX": 0x541C,
}
IO |= {
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIOCLEX": 0x5451,
    "FIOASYNC": 0x5452,
    "FIOSETOWN": 0x8901,
}
IO |= {
    "SIOCSPGRP": 0x8902,
    "FS_IOC_SETFLAGS": 0x40086602,
    "FS_IOC_ENABLE_VERITY": 0x40806685,
    "FICLONE": 0x40049409,
}
PR = {"SET_PDEATHSIG": 1, "SET_DUMPABLE": 4, "SET_NAME": 15, "SET_SECCOMP": 22, "SET_MM": 35}
PR |= {
    "SET_CHILD_SUBREAPER": 36,
    "SET_NO_NEW_PRIVS": 38,
    "SCHED_CORE": 62,
    "SET_PTRACER": 0x59616D61,
}
PR |= {"SET_VMA": 0x53564D41, "GET_DUMPABLE": 3}
# what pthread_create asks for: VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_ and
# CHILD_TID
THREAD = 0x3D0F00
FORK, VFORK = 0x1200011, 0x4111
NEW = {
    "NS": 0x20000,
    "CGROUP": 1 << 25,
    "UTS": 1 << 26,
    "IPC": 1 << 27,
    "USER": 1 << 28,
    "PID": 1 << 29,
    "NET": 1 << 30,
}
MAP = {
    "SHARED": 1,
    "PRIVATE": 2,
    "SHARED_VALIDATE": 3,
    "DROPPABLE": 8,
    "FIXED": 0x10,
    "ANONYMOUS": 0x20,
}
MAP |= {
    "GROWSDOWN": 0x100,
    "DENYWRITE": 0x800,
    "NORESERVE": 0x4000,
    "STACK": 0x20000,
    "HUGETLB": 0x40000,
}
AT_FDCWD = -100
RULES = [
    *[
        ("fcntl", (0, F[c]), FREE)
        for c in ("DUPFD", "SETFD", "GETFL", "SETFL", "DUPFD_CLOEXEC", "GETPIPE_SZ")
    ],
    *[
        ("fcntl", (0, F[c]), REFUSED)
        for c in ("SETLK", "SETLKW", "SETOWN", "SETSIG", "SETOWN_EX", "SETPIPE_SZ")
    ],
    *[
        ("fcntl", (0, F[c]), REFUSED)
        for c in ("OFD_GETLK", "OFD_SETLK", "OFD_SETLKW", "SETLEASE", "NOTIFY")
    ],
    ("fcntl", (0, F["SET_RW_HINT"]), REFUSED),
    ("fcntl", (0, HIGH | F["SETLK"]), REFUSED),
    *[
        ("ioctl", (0, IO[c]), FREE)
        for c in ("TCGETS", "TIOCGWINSZ", "FIONREAD", "FIONBIO", "FIOCLEX")
    ],
    *[
        ("ioctl", (0, IO[c]), REFUSED)
        for c in ("TIOCSTI", "TIOCLINUX", "TIOCSCTTY", "FIOSETOWN", "SIOCSPGRP")
    ],
    *[
        ("ioctl", (0, IO[c]), REFUSED)
        for c in ("FIOASYNC", "FS_IOC_SETFLAGS", "FS_IOC_ENABLE_VERITY", "FICLONE")
    ],
    ("ioctl", (0, HIGH | IO["TIOCSTI"]), REFUSED),
    ("ioctl", (0, HIGH | IO["TCGETS"]), FREE),
    *[
        ("prctl", (PR[c],), FREE)
        for c in ("SET_NAME", "SET_NO_NEW_PRIVS", "SET_VMA", "GET_DUMPABLE")
    ],
    ("prctl", (PR["SET_SECCOMP"],), REFUSED),
    *[
        ("prctl", (PR[c],), REFUSED)
        for c in ("SET_PDEATHSIG", "SET_DUMPABLE", "SET_MM", "SET_CHILD_SUBREAPER")
    ],
    *[("prctl", (PR[c],), REFUSED) for c in ("SCHED_CORE", "SET_PTRACER")],
    ("prctl", (HIGH | PR["SET_PDEATHSIG"],), REFUSED),
    ("personality", (0,), FREE),
    ("personality", (0xFFFFFFFF,), FREE),
    ("personality", (-1,), FREE),
    ("personality", (0x0040000,), REFUSED),
    ("personality", (HIGH | 8,), REFUSED),
    ("prlimit64", (0, 7), FREE),
    ("prlimit64", (HIGH, 7), FREE),  # an int of 0: itself
    ("prlimit64", (1, 7), REFUSED),
    ("prlimit64", (HIGH | 1, 7), REFUSED),
    ("prlimit64", (PID, 7), REFUSED),
    ("openat", (AT_FDCWD, 0, os.O_RDONLY | os.O_CLOEXEC), FREE),
    ("openat", (AT_FDCWD, 0, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), FREE),
    ("openat", (AT_FDCWD, 0, os.O_RDWR | os.O_TRUNC), FREE),
    ("openat", (AT_FDCWD, 0, os.O_RDONLY | os.O_TRUNC), REFUSED),
    ("openat", (AT_FDCWD, 0, HIGH | os.O_RDONLY | os.O_TRUNC | os.O_CLOEXEC), REFUSED),
    ("openat", (AT_FDCWD, 0, os.O_ACCMODE | os.O_TRUNC), REFUSED),
    ("openat", (AT_FDCWD, 0, os.O_ACCMODE | os.O_CLOEXEC), REFUSED),
    ("open", (0, os.O_RDONLY), FREE),
    ("open", (0, os.O_WRONLY | os.O_TRUNC), FREE),
    ("open", (0, os.O_RDONLY | os.O_TRUNC), REFUSED),
    ("open", (0, os.O_ACCMODE), REFUSED),
    ("socketpair", (1, 1), FREE),
    ("socketpair", (1, 1 | os.O_CLOEXEC | os.O_NONBLOCK), FREE),
    ("socketpair", (1, 5 | os.O_CLOEXEC), FREE),
    ("socketpair", (HIGH | 1, HIGH | 1), FREE),
    ("socketpair", (1, 2), REFUSED),
    ("socketpair", (1, 3 | os.O_CLOEXEC), REFUSED),  # the kernel makes a datagram socket of it
    ("socketpair", (1, HIGH | 2), REFUSED),
    *[("socketpair", (family, 1), REFUSED) for family in (0, 2, 10, 16, 40)],
    ("socketpair", (HIGH | 16, 1), REFUSED),
    (
        "mmap",
        (0, 4096, 3, MAP["PRIVATE"] | MAP["ANONYMOUS"] | MAP["NORESERVE"] | MAP["STACK"]),
        FREE,
    ),
    ("mmap", (0, 4096, 3, MAP["PRIVATE"] | MAP["FIXED"] | MAP["DENYWRITE"]), FREE),
    ("mmap", (0, 4096, 1, MAP["SHARED"]), FREE),  # of a file
    ("mmap", (0, 4096, 3, MAP["SHARED"] | MAP["ANONYMOUS"]), REFUSED),
    ("mmap", (0, 4096, 3, HIGH | MAP["SHARED"] | MAP["ANONYMOUS"] | MAP["NORESERVE"]), REFUSED),
    ("mmap", (0, 4096, 3, MAP["SHARED_VALIDATE"]), REFUSED),
    ("mmap", (0, 4096, 3, MAP["SHARED_VALIDATE"] | MAP["ANONYMOUS"]), REFUSED),
    ("mmap", (0, 4096, 3, MAP["DROPPABLE"] | MAP["ANONYMOUS"]), REFUSED),
    ("mmap", (0, 4096, 3, MAP["PRIVATE"] | MAP["ANONYMOUS"] | MAP["GROWSDOWN"]), REFUSED),
    ("mmap", (0, 1 << 21, 3, MAP["PRIVATE"] | MAP["ANONYMOUS"] | MAP["HUGETLB"]), REFUSED),
    *[("madvise", (0, 4096, advice), FREE) for advice in (0, 4, 8, 14, 102)],
    *[("madvise", (0, 4096, advice), REFUSED) for advice in (9, 12, 20, 21, 22, 23, 25, 100, 101)],
    *[
        ("close_range", (3, 9, flags), answer)
        for flags, answer in ((0, FREE), (4, FREE), (2, REFUSED), (6, REFUSED))
    ],
    *[("renameat2", (AT_FDCWD, 0, AT_FDCWD, 0, flags), FREE) for flags in (0, 1, 2)],
    *[("renameat2", (AT_FDCWD, 0, AT_FDCWD, 0, flags), REFUSED) for flags in (4, 5, 6)],
    *[
        ("sendto", (3, 0, 1, flags), answer)
        for flags, answer in ((0, FREE), (0x4040, FREE), (1, REFUSED))
    ],
    *[
        ("recvfrom", (3, 0, 1, flags), answer)
        for flags, answer in ((0, FREE), (0x142, FREE), (0x41, REFUSED))
    ],
    *[("fallocate", (3, mode), answer) for mode, answer in ((0, FREE), (1, REFUSED), (3, REFUSED))],
    *[("fadvise64", (3, 0, 0, advice), answer) for advice, answer in ((2, FREE), (4, REFUSED))],
    *[("preadv2", (3, 0, 1, 0, 0, flags), answer) for flags, answer in ((0, FREE), (8, REFUSED))],
    *[
        (name, (clock,), FREE)
        for name in CLOCKS
        for clock in (0, 1, 2, 3, 7, 11, HIGH | 2, ~PID << 3 | 6)
    ],
    *[(name, (~PID << 3 | clock,), REFUSED) for name in CLOCKS for clock in (0, 1, 2, HIGH | 2)],
    *[
        ("futex", (0, flags | operation), FREE)
        for flags in (0, 128, 256)
        for operation in (0, 1, 3, 4, 5, 9, 10)
    ],
    *[
        ("futex", (0, flags | operation), REFUSED)
        for flags in (0, 128, 384, HIGH)
        for operation in (6, 7, 8, 11, 12, 13)
    ],
    ("sched_rr_get_interval", (PID,), REFUSED),
    *[
        (name, (PID, PID, signal.SIGCONT), REFUSED)
        for name in ("tgkill", "tkill", "rt_sigqueueinfo")
    ],
    *[("kill", (PID, number), REFUSED) for number in (signal.SIGCONT, HIGH | signal.SIGCONT)],
    ("clone", (THREAD,), FREE),
    (
        "clone",
        (THREAD & ~0x400,),
        REFUSED,
    ),  # with descriptors of its own, where nobody would see what it holds
    *[
        ("clone", (THREAD | signal.SIGCONT,), REFUSED),
        ("clone", (0x200000 | signal.SIGCONT,), REFUSED),
    ],
    ("clone", (HIGH | THREAD,), FREE),
    *[("clone", (THREAD | new,), REFUSED) for new in NEW.values()],
    *[("clone", (HIGH | FORK | new,), REFUSED) for new in NEW.values()],
]


@both
@pytest.mark.parametrize("processes", [1, 2])
def test_arguments_are_judged_by_the_bits_that_the_kernel_looks_at(arch, processes):
    assert {call for call, _, _ in RULES} - NUMBERS[arch].keys() == (
        {"open"} if arch == "aarch64" else set()
    )
    for call, args, answer in RULES:
        if call in NUMBERS[arch]:
            assert asked(arch, call, *args, processes=processes) == answer, (call, args)
            assert asked(arch, call, *args, processes=processes, pid=None) == answer, (call, args)


@both
def test_a_process_is_made_only_by_a_bot_that_may_be_several(arch):
    for flags in (FORK, VFORK, 17, 0, 0x400, HIGH | FORK):
        assert asked(arch, "clone", flags) == REFUSED, flags
        assert asked(arch, "clone", flags, processes=2) == FREE, flags


@both
def test_a_process_is_never_put_beside_its_maker(arch):
    assert asked(arch, "clone", FORK | 0x8000, processes=2) == REFUSED


def test_fork_and_vfork_are_judged_like_clone():
    assert [asked("x86_64", call, processes=n) for call in ("fork", "vfork") for n in (1, 2)] == [
        REFUSED,
        FREE,
    ] * 2


@both
@pytest.mark.parametrize("call", ["kill", "tgkill"])
def test_signals_go_to_oneself_and_in_a_pid_namespace_to_anybody(arch, call):
    number = {"kill": (15,), "tgkill": (PID, 15)}[call]
    for target in (PID, HIGH | PID):
        assert asked(arch, call, target, *number) == FREE
    for target in (0, -1, 1, PID + 1, -PID, HIGH | 1, policy.OWN_PID):
        assert asked(arch, call, target, *number) == REFUSED
        assert asked(arch, call, target, *number, pid=None) == FREE


@both
@pytest.mark.parametrize("pid", [PID, None])
def test_a_bot_of_one_process_cannot_feign_to_be_killed_or_stopped(arch, pid):
    for number in (9, 19, 20, 21, 22, HIGH | 9):
        for call, args in (("kill", (PID, number)), ("tgkill", (PID, PID, number))):
            assert asked(arch, call, *args, pid=pid) == REFUSED
            assert asked(arch, call, *args, pid=pid, processes=2) == FREE  # it may end its children
    for call, args in (
        ("setrlimit", (0, 1)),
        ("prlimit64", (0, 0, 1)),
        ("prlimit64", (0, HIGH, 1)),
    ):
        if call in NUMBERS[arch]:
            assert asked(arch, call, *args, pid=pid) == REFUSED
            assert asked(arch, call, *args, pid=pid, processes=2) == FREE


@both
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("pid", [PID, None])
def test_nobody_can_send_the_signal_that_ends_a_freeze(arch, processes, pid):
    """In all the calls that send a signal, or say which is to be sent when something happens."""
    cont = signal.SIGCONT
    for call, args in (
        *(
            ("kill", (PID, cont)),
            ("tgkill", (PID, PID, cont)),
            ("tkill", (PID, cont)),
            ("clone", (cont,)),
        ),
        *(
            ("rt_sigqueueinfo", (PID, cont)),
            ("rt_tgsigqueueinfo", (PID, PID, cont)),
            ("timer_create", (1, cont)),
        ),
        *(
            ("prctl", (1, cont)),
            ("fcntl", (0, F["SETSIG"], cont)),
            ("mq_notify", (3, 0)),
            ("ptrace", (7, PID, 0, cont)),
        ),
    ):
        assert asked(arch, call, *args, processes=processes, pid=pid) == REFUSED, call
    for call in ("pidfd_send_signal", "clone3", "io_uring_setup"):
        assert asked(arch, call, processes=processes, pid=pid) == ABSENT


@both
def test_a_number_that_is_newer_than_the_table_does_not_exist(arch):
    beyond = (syscalls.NEWEST + 1, 512, 547, 0x3FFFFFFF)
    assert [asked(arch, number) for number in beyond] == [ABSENT] * 4


def test_the_x32_numbers_end_the_process():
    assert {asked("x86_64", 0x40000000 | n) for n in (0, 1, 101, 520, 0x3FFFFFFF, 0xBFFFFFFF)} == {
        KILLED
    }
    assert asked("aarch64", 0x40000000) == ABSENT  # there are none


@both
@pytest.mark.parametrize("foreign", [0x40000003, 0x40000028, 0xC000003E, 0xC00000B7, 0, 0xFFFFFFFF])
def test_a_foreign_architecture_ends_the_process_whatever_it_asks(arch, foreign):
    answers = {meaning(machine(built(arch), foreign, number)[0]) for number in range(470)}
    assert (answers == {KILLED}) == (foreign != seccomp.AUDIT[arch])


@given(
    st.sampled_from(ARCHES),
    st.sampled_from([1, 2]),
    st.integers(0, 2**32 - 1) | st.integers(0, 470),
    st.data(),
)
def test_whatever_is_asked_the_answer_is_one_of_a_few(arch, processes, number, data):
    args = data.draw(st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6))
    answer, _, _ = machine(built(arch, processes), seccomp.AUDIT[arch], number, args)
    assert meaning(answer) in (FREE, KILLED, REFUSED, *policy.WAY_OUT)


# The programs.


@both
@pytest.mark.parametrize("pid", [1, 2, 0x06, PID, 2**22])
def test_a_pid_changes_the_pid_and_nothing_else(arch, pid):
    before, after = (
        list(struct.iter_unpack("=HBBI", built(arch, pid=p))) for p in (policy.OWN_PID, pid)
    )
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert {(a[3], b[3]) for a, b in changed} == {(policy.OWN_PID, pid)}
    assert policy.OWN_PID.to_bytes(4, "little") not in built(arch, pid=None)


@both
def test_a_program_fits_into_the_smallest_pipe(arch):
    for processes, pid in itertools.product((1, 2), (PID, None)):
        assert len(built(arch, processes, pid)) <= 4096


@both
@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize("pid", [PID, None])
def test_a_watched_bot_is_asked_where_others_are_refused_and_before_each_fork(arch, processes, pid):
    plain = built(arch, processes, pid)
    watched = built(arch, processes, pid, watched=True, counts_forks=processes > 1)
    names = {number: name for name, number in NUMBERS[arch].items()}
    clones = [
        THREAD,
        signal.SIGCHLD,
        0x4100 | signal.SIGCHLD,
        THREAD & ~0x400,
        *NEW.values(),
        HIGH | THREAD,
    ]
    for number in range(500):
        name = names.get(number)
        for first in clones if name == "clone" else (0, THREAD):
            before, _, _ = machine(plain, seccomp.AUDIT[arch], number, (first,))
            after, _, _ = machine(watched, seccomp.AUDIT[arch], number, (first,))
            expected = seccomp.ASK if before >> 16 == 5 else before
            if processes > 1 and name in policy.FORKS:
                is_thread = name == "clone" and first & policy.CLONE_THREAD
                expected = seccomp.ASK if before == seccomp.ALLOW and not is_thread else before
            assert after == expected, (name, hex(first))


# The real kernel.

confined = pytest.mark.skipif(
    seccomp.arch() is None,
    reason=f"there is no filter for {platform.machine()}, so the kernel cannot be asked",
)
LAUNCH = """
import os, sys
sys.path.insert(0, sys.argv[1])
from arena.sandbox import rlimits, seccomp
rlimits.no_new_privs()
seccomp.install(seccomp.program_for(int(sys.argv[2]), (), os.getpid()))
os.execv(sys.argv[3], sys.argv[3:])
"""
ROOT = str(Path(__file__).parents[2])


def under(processes, *argv, folder, **more):
    """A program that runs under the filter."""
    command = [sys.executable, "-I", "-S", "-c", LAUNCH, ROOT, str(processes), *argv]
    env = {"PATH": os.defpath, "TMPDIR": str(folder), "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, cwd=folder, env=env, **more
    )


def python(text, *, folder, processes=1):
    """Run a Python program under the filter; return the JSON that it prints."""
    done = under(processes, sys.executable, "-c", text, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


HARMLESS = {"setsid", "sync", "vhangup", "munlockall"}
"""Those that would do something, were they not refused; all others fail for their arguments, which
are all -1."""
CALL = """
import ctypes, json, sys
call = ctypes.CDLL(None, use_errno=True).syscall
call.restype = ctypes.c_long
def errno_of(number, *args):
    ctypes.set_errno(0)
    done = call(ctypes.c_long(number), *map(ctypes.c_long, args))
    return ctypes.get_errno() if done == -1 else 0
"""


@confined
@pytest.mark.parametrize("processes", [1, 2])
def test_the_kernel_refuses_what_the_tables_say(tmp_path, processes):
    known = NUMBERS[seccomp.arch()]
    answers = policy.refusals(seccomp.arch())
    calls = {name: n for name, n in known.items() if name not in policy.allowed() | HARMLESS}
    expected = {name: answers[number] for name, number in calls.items()}
    answered = python(
        f"{CALL}print(json.dumps({{n: errno_of(i, *[-1] * 6) for n, i in {calls}.items()}}))",
        folder=tmp_path,
    )
    assert answered == expected


@confined
def test_the_kernel_judges_arguments_as_our_machine_does(tmp_path):
    known = NUMBERS[seccomp.arch()]
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    asks = [
        (known["fcntl"], 0, F["SETLK"], 0),
        (known["fcntl"], 0, F["GETFL"], 0),
        (known["ioctl"], 0, IO["FS_IOC_SETFLAGS"], 0),
        (known["prctl"], PR["SET_DUMPABLE"], 0, 0),
        (known["personality"], 0xFFFFFFFF),
        (known["personality"], 0x0040000),
        (known["prlimit64"], 0, 7, 0, 0),
        (known["prlimit64"], os.getpid(), 7, 0, 0),
        (known["kill"], os.getpid(), 0),
        (known["kill"], 0, 0),
        (known["socketpair"], 16, 1, 0, 0),
        (known["socketpair"], 1, 2, 0, 0),
        (syscalls.NEWEST + 1, 0),
    ]
    assert python(f"{CALL}print(json.dumps([errno_of(*a) for a in {asks}]))", folder=tmp_path) == [
        *(REFUSED, 0, REFUSED, REFUSED),
        *(0, REFUSED, 0, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED),
        ABSENT,
    ]
    opened = (
        "import json, os\ntried = []\nfor flags in (os.O_TRUNC, os.O_ACCMODE, os.O_ACCMODE | "
        "os.O_TRUNC):\n"
    )
    opened += (
        " try: os.open('victim', flags); tried.append(0)\n"
        " except OSError as error: tried.append(error.errno)\n"
    )
    assert python(opened + "print(json.dumps(tried))", folder=tmp_path) == [REFUSED] * 3
    assert victim.read_text() == "untouched"


@confined
@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is an ABI of x86-64")
def test_a_call_of_another_abi_ends_the_process(tmp_path):
    done = under(1, sys.executable, "-c", f"{CALL}errno_of(0x40000000 | 39)", folder=tmp_path)
    assert done.returncode == -31  # SIGSYS


@confined
@pytest.mark.parametrize(("processes", "expected"), [(1, [REFUSED, REFUSED]), (2, [0, 0])])
def test_a_bot_of_one_process_starts_no_other(tmp_path, processes, expected):
    text = (
        "import json, os, subprocess\n"
        "def fork():\n pid = os.fork()\n if pid == 0: os._exit(0)\n os.waitpid(pid, 0)\n"
        "def tried(what):\n try: what()\n except OSError as error: return error.errno\n return 0\n"
        "print(json.dumps([tried(fork), tried(lambda: subprocess.run(['true']))]))"
    )
    assert python(text, folder=tmp_path, processes=processes) == expected


WORKS = {
    "threads": "import threading\nt = threading.Thread(target=lambda: None)\nt.start(); t.join()",
    "a pool of threads": (
        "from concurrent.futures import ThreadPoolExecutor as P\n"
        "with P(3) as p: assert sum(p.map(abs, [-1, 2])) == 3"
    ),
    "asyncio": (
        "import asyncio\nloop = asyncio.new_event_loop()\n"
        "loop.run_until_complete(asyncio.sleep(0.001))\n"
        "assert loop.run_until_complete(asyncio.to_thread(abs, -1)) == 1\nloop.close()"
    ),
    "sqlite in memory": "import sqlite3\nsqlite3.connect(':memory:').execute('create table a (b)')",
    "sqlite in a file, without locks": (
        "import sqlite3\nsqlite3.connect('file:a.db?nolock=1', uri=True).execute('create table a "
        "(b)')"
    ),
    "temporary files": (
        "import tempfile as t\nfor kind in (t.TemporaryFile, t.NamedTemporaryFile):\n"
        " with kind() as f: f.write(b'x')\nwith t.TemporaryDirectory(): pass"
    ),
    "renaming and cutting": (
        "import os\nopen('a', 'w').write('xyz')\nos.rename('a', 'b')\n"
        "with open('b', 'r+') as f: f.truncate(1)\n"
        "assert open('b').read() == 'x'; os.remove('b')"
    ),
    "random numbers and time": (
        "import os, random, time\nos.urandom(8); random.random(); time.sleep(0.001)"
    ),
    "a signal to itself": (
        "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: None)\n"
        "signal.raise_signal(signal.SIGUSR1); os.kill(os.getpid(), signal.SIGUSR1)"
    ),
    "a timer": (
        "import signal as s\ns.signal(s.SIGALRM, lambda *_: None)\ns.setitimer(0, 0.001); s.pause()"
    ),
    "a lower limit": "import resource as r\nr.setrlimit(r.RLIMIT_NOFILE, (20, 20))",
}


@confined
def test_python_does_its_work_under_the_filter(tmp_path):
    text = "import json, traceback\nfailed = {}\n"
    text += f"for work, text in {WORKS}.items():\n try: exec(text, {{}})\n"
    text += " except BaseException: failed[work] = traceback.format_exc()\n"
    assert python(text + "print(json.dumps(failed))", folder=tmp_path) == {}


HELLO = "console.log([3, 1, 2].sort().join(), require('crypto').randomBytes(2).length)"
RUNTIMES = {
    "python3": (("/usr/bin/python3", "-c", "print(sum(range(10)))"), "45\n"),
    "node": (("node", "-e", HELLO), "1,2,3 2\n"),
    "java": (("java", "-Xshare:auto", "-version"), ""),
    "perl": (("perl", "-e", "print 6 * 7, qq(\\n)"), "42\n"),
    "sh": (("sh", "-c", "read -r word; echo $((6 * 7))"), "42\n"),
}


@confined
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_other_runtimes_start_under_the_filter(tmp_path, runtime):
    (program, *args), output = RUNTIMES[runtime]
    executable = shutil.which(program)
    if executable is None:
        pytest.skip(f"{program} is not installed")
    done = under(1, executable, *args, folder=tmp_path, input="a line\n")
    assert done.returncode == 0, done.stderr
    assert output in done.stdout


@confined
def test_a_program_that_the_kernel_does_not_take_is_an_error_of_ours():
    text = (
        f"import json, sys; sys.path.insert(0, {ROOT!r})\n"
        "from arena.sandbox import rlimits, seccomp\n"
        "rlimits.no_new_privs()\n"
        "try: seccomp.install(b'\\0' * 8)\nexcept OSError as error: print(json.dumps([error.errno, "
        "error.strerror]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", text], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [errno.EINVAL, "seccomp: Invalid argument"]


@confined
def test_no_bot_loads_a_filter_of_its_own(tmp_path):
    known = NUMBERS[seccomp.arch()]
    asks = [(known["seccomp"], 1, 0, 0), (known["prctl"], 22, 2, 0, 0)]
    assert (
        python(f"{CALL}print(json.dumps([errno_of(*a) for a in {asks}]))", folder=tmp_path)
        == [REFUSED] * 2
    )


def test_a_machine_that_no_filter_is_written_for_is_named(monkeypatch):
    monkeypatch.setattr(
        seccomp.os, "uname", lambda: os.uname_result(("Linux", "", "", "", "riscv64"))
    )
    assert seccomp.arch() is None
    with pytest.raises(
        OSError, match="no seccomp filter is written for riscv64, only for x86_64 and aarch64"
    ):
        seccomp.program_for(1)
