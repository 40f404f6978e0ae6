"""The seccomp filter of the levels landlock and bubblewrap: from the tables of `policy.py` to a program of the kernel.

A program looks at the architecture, finds the range that the call's number is in by halving, and there has its answer
or compares one or two arguments. It takes an argument's low 32 bits only, as the kernel does: all those that it judges
are ints there. Calls that are free whatever their arguments cost nothing: the kernel keeps a bitmap of them.

Imported by the spawner: stdlib only, nothing slow. `filter_for` before the fork, `for_pid` and `install` after it.
"""

import ctypes
import errno
import os
from functools import cache

from arena.sandbox import bpf, policy
from arena.sandbox.syscalls import NEWEST, UNUSED, X32, numbers

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The architectures that there is a filter for, and how the kernel names them; linux/audit.h."""

OWN_PID = 0x9E0B071D
"""Stands where the pid will be, which is known after the fork only; larger than any pid."""

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
prctl = ctypes.CDLL(None, use_errno=True).prctl


class Program(ctypes.Structure):
    """What the kernel is handed, struct sock_fprog: made by C code alone, since what a fresh fork touches is copied."""

    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Filter:
    """The programs for bots that may be so many processes, built once for many bots."""

    def __init__(self, arch: str, processes: int) -> None:
        """`arch` is `x86_64` or `aarch64`; with one process, threads stay free."""
        self._any_pid = Policy(arch, forks=processes > 1, own_pid=False).program()
        self._around_pid = (
            Policy(arch, forks=processes > 1, own_pid=True).program().split(OWN_PID.to_bytes(4, "little"))
        )

    def for_pid(self, pid: int) -> bytes:
        """For a process among others: it can send signals to itself only."""
        return pid.to_bytes(4, "little").join(self._around_pid)

    def for_any_pid(self) -> bytes:
        """For a bot that sees no process but its own, in a pid namespace."""
        return self._any_pid


def arch() -> str | None:
    """This machine's architecture, if there is a filter for it."""
    machine = os.uname().machine
    return machine if machine in AUDIT else None


@cache
def filter_for(processes: int) -> Filter:
    """The filter for this machine. OSError when there is none."""
    found = arch()
    if found is None:
        raise OSError(0, f"no seccomp filter is written for {os.uname().machine}, only for {' and '.join(AUDIT)}")
    return Filter(found, processes)


def install(program: bytes) -> None:
    """Put this process, and all that it starts, under the program for good.

    `no_new_privs` is set before. OSError: EACCES when it is not, EINVAL when the kernel has no filters.
    """
    told = Program(len(program) // bpf.INSTRUCTION.size, program)
    if prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(told), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


class Policy:
    """The tables laid down as one program, each rule a place in it."""

    def __init__(self, arch: str, *, forks: bool, own_pid: bool) -> None:
        self._arch, self._forks, self._own_pid = arch, forks, own_pid
        self._code = bpf.Code()
        self._kill = self._code.answer(bpf.KILL_PROCESS)
        self._absent = self._code.answer(bpf.refuse(errno.ENOSYS))
        self._refused = self._code.answer(bpf.refuse(errno.EPERM))
        self._free = self._code.answer(bpf.ALLOW)

    def program(self) -> bytes:
        """All of it: first the architecture, on which every number hangs."""
        code = self._code
        number = code.load(bpf.NUMBER, self._halve(self._ranges()))
        return code.program(code.load(bpf.ARCHITECTURE, code.decide(bpf.EQUAL, AUDIT[self._arch], number, self._kill)))

    def _halve(self, ranges: list[tuple[int, int]]) -> int:
        """The place that finds the range of the number that was loaded; ranges are (first number, place)."""
        if len(ranges) == 1:
            return ranges[0][1]
        middle = len(ranges) // 2
        above, below = self._halve(ranges[middle:]), self._halve(ranges[:middle])
        return self._code.decide(bpf.AT_LEAST, ranges[middle][0], above, below)

    def _ranges(self) -> list[tuple[int, int]]:
        """Every number from 0 on, in as few ranges as there are changes."""
        rules = self._rules()
        places = [rules.get(number, self._free) for number in range(NEWEST + 1)]
        for first, end in UNUSED[self._arch]:
            places[first:end] = [self._absent] * (end - first)
        changes = [(n, place) for n, place in enumerate(places) if n == 0 or place != places[n - 1]]
        changes.append((NEWEST + 1, self._absent))
        return [*changes, (X32, self._kill)] if self._arch == "x86_64" else changes

    def _rules(self) -> dict[int, int]:
        """From the number of a call to the place of its rule; what is not in it is free."""
        rules: dict[str, int] = {"clone": self._clone(), "socketpair": self._pair()}
        for table, place in ((policy.REFUSED, self._refused), (policy.ABSENT, self._absent)):
            rules.update(dict.fromkeys(" ".join(table.values()).split(), place))
        rules.update({name: self._judge(*row, self._free, self._refused) for name, row in policy.ONLY.items()})
        rules.update({name: self._judge(*row, self._refused, self._free) for name, row in policy.NEVER.items()})
        if self._own_pid:
            to_itself = self._judge(0, policy.ALL_BITS, (OWN_PID,), self._free, self._refused)
            rules.update(dict.fromkeys(policy.TO_ITSELF.split(), to_itself))
        if not self._forks:
            rules.update(dict.fromkeys(policy.PROCESSES.split(), self._refused))
        known = numbers(self._arch)
        return {known[name]: place for name, place in rules.items() if name in known}

    def _judge(self, index: int, bits: int, values: tuple[int, ...], found: int, other: int) -> int:
        """Whether these bits of an argument are one of the values."""
        for value in reversed(values):
            other = self._code.decide(bpf.EQUAL, value, found, other)
        masked = other if bits == policy.ALL_BITS else self._code.mask(bits, other)
        return self._code.load(bpf.argument(index), masked)

    def _pair(self) -> int:
        """A pair of connected sockets, which asyncio wants."""
        kind = self._judge(1, policy.PAIR_BITS, policy.PAIRS, self._free, self._refused)
        return self._judge(0, policy.ALL_BITS, (policy.AF_UNIX,), kind, self._refused)

    def _clone(self) -> int:
        """Threads; processes if there may be any, but as its own children; nothing into new namespaces."""
        decide = self._code.decide
        process = decide(bpf.ANY_BIT, policy.CLONE_PARENT, self._refused, self._free) if self._forks else self._refused
        thread = decide(bpf.ANY_BIT, policy.CLONE_THREAD, self._free, process)
        return self._code.load(bpf.argument(0), decide(bpf.ANY_BIT, policy.CLONE_NEW, self._refused, thread))
