"""The seccomp filter of landlock and bubblewrap: a program for the kernel, made from the tables of `call_policy.py`.

Theory of operation
-------------------

The kernel. At every system call of a bot it runs the program with the number of the call, the architecture,
and the arguments; the program's answer is to allow the call, to fail it with an errno, or to kill the process. Pointers
are arguments too, but the program cannot read what they point at. When a filter is installed, the kernel runs it once
for each number that there is, and keeps a bitmap of the calls that it allows whatever their arguments: these cost
nothing later.

Layout. The program first checks the architecture, because the same number is another call on another one;
a wrong one kills. Then it finds the number. The numbers from 0 to NEWEST are cut into ranges with the same answer, and
a tree of comparisons halves these ranges until one is left. That range has its answer, or leads to the checks of one or
two arguments. `bpf.py` lays equal instructions once, so the checks and answers are shared.

The tree. A flat list of comparisons was tried. It gave the same answers on 231,840 calls of both architectures, at
the same price for each call of a bot, but a start took about 0.2 ms longer, because the kernel runs it once for each
number then. A warm start takes 2 to 3 ms in all (benchmarks/starts.py), and the list read no better.

The process id. At landlock a bot may signal its own process id only, and that is known after the fork. So the
program is built before the fork with a value in its place (OWN_PID), and split around it: `for_pid` only joins the
parts. A level calls `for_pid` or `for_any_pid` before the fork, so that its program is built; a child calls it again,
and then an install function.

Imported by the spawner: standard library only, nothing slow.
"""

import ctypes
import errno
import os
from functools import cache, cached_property

from arena.sandbox import bpf, call_policy
from arena.sandbox.call_policy import Check
from arena.sandbox.syscalls import NEWEST, X32, numbers

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The architectures that there is a filter for, and how the kernel names them; linux/audit.h."""

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER = 1, 8
PIDFD_GETFD = 438
prctl = ctypes.CDLL(None, use_errno=True).prctl
syscall = ctypes.CDLL(None, use_errno=True).syscall


class Program(ctypes.Structure):
    """The kernel's struct sock_fprog, filled by C code alone: what a fresh fork writes to is copied."""

    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Filter:
    """The programs for bots by the number of processes that they may be. Each is built when it is first asked for."""

    def __init__(self, arch: str, processes: int, syscalls: tuple[str, ...] = ()) -> None:
        """`arch` is `x86_64` or `aarch64`; `syscalls` are allowed beside the policy, whatever their arguments."""
        self._policy = arch, processes, syscalls

    @cached_property
    def _any_pid(self) -> bytes:
        return _program(*self._policy, own_pid=False)

    @cached_property
    def _around_pid(self) -> list[bytes]:
        return _program(*self._policy, own_pid=True).split(call_policy.OWN_PID.to_bytes(4, "little"))

    def for_pid(self, pid: int) -> bytes:
        """Return the program for a process among others: it can send signals to itself only."""
        return pid.to_bytes(4, "little").join(self._around_pid)

    def for_any_pid(self) -> bytes:
        """Return the program for a bot that sees no process but its own, in a pid namespace."""
        return self._any_pid


def arch() -> str | None:
    """Return this machine's architecture if there is a filter for it, else None."""
    machine = os.uname().machine
    return machine if machine in AUDIT else None


@cache
def filter_for(processes: int, syscalls: tuple[str, ...] = ()) -> Filter:
    """Return the filter for this machine. OSError when there is none."""
    machine = arch()
    if machine is None:
        raise OSError(0, f"no seccomp filter is written for {os.uname().machine}, only for {' and '.join(AUDIT)}")
    return Filter(machine, processes, syscalls)


def install(program: bytes) -> None:
    """Put this process, and all that it starts, under the program for good.

    `no_new_privs` must be set before. OSError: EACCES when it is not, EINVAL when the kernel has no filters.
    """
    struct = Program(len(program) // bpf.INSTRUCTION.size, program)
    if prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(struct), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


listener = -1
"""In a watched child: the descriptor at which the kernel asks about each call that is not allowed."""


def install_watched(program: bytes) -> None:
    """Do the same, but have the kernel ask at `listener` instead of refusing a call. OSError as for `install`."""
    global listener
    instructions = bpf.INSTRUCTION.iter_unpack(program)
    asking = b"".join(
        bpf.INSTRUCTION.pack(*(bpf.ASK if bpf.refuses(instruction) else instruction)) for instruction in instructions
    )
    struct = Program(len(asking) // bpf.INSTRUCTION.size, asking)
    number = ctypes.c_long(numbers(os.uname().machine)["seccomp"])
    listener = syscall(number, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, ctypes.byref(struct))
    if listener < 0:
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def copy_listener(pid: int, descriptor: int) -> int:
    """Return a copy of the listener of a process below us. OSError where the system forbids that."""
    process = os.pidfd_open(pid)
    try:
        copy = syscall(PIDFD_GETFD, process, descriptor, 0)
        if copy < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return int(copy)
    finally:
        os.close(process)


def _program(arch: str, processes: int, syscalls: tuple[str, ...], *, own_pid: bool) -> bytes:
    """Return the policy as one program, laid from its last instruction to its first."""
    code = bpf.Code()
    kill = code.answer(bpf.KILL_PROCESS)
    refusals = call_policy.refusals(arch)
    errnos = {number: code.answer(bpf.refuse(number)) for number in (*refusals, errno.EPERM)}
    allow = code.answer(bpf.ALLOW)

    known = numbers(arch)
    further = call_policy.OF_SEVERAL if processes > 1 else call_policy.OF_ONE_PROCESS
    labels = [errnos[refusal] for refusal in refusals]  # for each number of a call
    for name in sorted((call_policy.allowed() | set(syscalls)) & known.keys()):
        if processes == 1 and name in call_policy.PROCESSES.split() and name not in syscalls:
            continue
        checks = (*call_policy.CHECKS.get(name, ()), *further.get(name, ()))
        if own_pid and name in call_policy.TO_ITSELF:
            checks = (call_policy.TO_ITSELF[name], *checks)
        label = allow
        for check in () if name in syscalls else reversed(checks):
            label = _lay_check(code, check, label, errnos[errno.EPERM])
        labels[known[name]] = label

    ranges = [(number, label) for number, label in enumerate(labels) if number == 0 or label != labels[number - 1]]
    ranges.append((NEWEST + 1, errnos[errno.ENOSYS]))
    if arch == "x86_64":
        ranges.append((X32, kill))
    first = code.load(bpf.NUMBER, _lay_tree(code, ranges))
    return code.program(code.load(bpf.ARCHITECTURE, code.decide(bpf.EQUAL, AUDIT[arch], first, kill)))


def _lay_check(code: bpf.Code, check: Check, allow: int, refuse: int) -> int:
    """Return the label of instructions that go on at `allow` if the check holds, else at `refuse`."""
    label, match = (allow, refuse) if check.inverted else (refuse, allow)
    for value in reversed(check.values):
        label = code.decide(bpf.EQUAL, value, match, label)
    masked = label if check.mask == call_policy.ALL_BITS else code.mask(check.mask, label)
    return code.load(bpf.argument(check.argument), masked)


def _lay_tree(code: bpf.Code, ranges: list[tuple[int, int]]) -> int:
    """Return the label of instructions that find the range of the loaded number; a range is (first number, label)."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    above, below = _lay_tree(code, ranges[middle:]), _lay_tree(code, ranges[:middle])
    return code.decide(bpf.AT_LEAST, ranges[middle][0], above, below)
