"""The seccomp filter: a program for the kernel, made from the tables of `call_policy.py`.

Theory of operation
-------------------

The kernel. At every system call of a bot it runs the program with the number of the call, the
architecture, and the arguments; the program's answer is to allow the call, to fail it with an
errno, or to kill the process. Pointers are arguments too, but the program cannot read what they
point at. When a filter is installed, the kernel runs it once for each number that there is, and
keeps a bitmap of the calls that it allows whatever their arguments: these cost nothing later.

Layout. The program first checks the architecture, because the same number is another call on
another one; a wrong one kills. The numbers are cut into ranges with the same answer. From the last
range to the first, one comparison skips the block of a range that the number is below; a block ends
with an answer, after the checks of some arguments. A tree of comparisons was tried: it saved 0.08
ms of a start's 2 to 3 ms, since the kernel runs the program once for each number.

The process id. At landlock a bot may signal its own process id only, and that is known after the
fork. So the program is built before the fork with a value in its place (OWN_PID), which each child
replaces.

The spawner imports this file, so it imports nothing slow.
"""

import ctypes
import errno
import os
import struct
from functools import cache

from arena.sandbox import call_policy
from arena.sandbox.call_policy import Check
from arena.sandbox.level import checked, prctl
from arena.sandbox.syscalls import X32, numbers

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The architectures that there is a filter for, and how the kernel names them; linux/audit.h."""

LOAD, MASK, ANSWER = 0x20, 0x54, 0x06  # BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_RET|K
EQUAL, AT_LEAST, ANY_OF = 0x15, 0x35, 0x45  # BPF_JMP|K with JEQ, JGE, JSET
ALLOW, KILL_PROCESS, REFUSE, ASK = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
"""The answers SECCOMP_RET_ALLOW, _KILL_PROCESS, _ERRNO and _USER_NOTIF."""
INSTRUCTION = struct.Struct("=HBBI")
"""struct sock_filter: code, instructions to skip if true, instructions to skip if false,
operand."""
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data."""

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER = 1, 8
SINCE_LINUX_5_7 = 1 | 16
"""Flags that mean nothing to a process of one thread (TSYNC, TSYNC_ESRCH). An older kernel refuses
them. It might also refuse the answer that a call may go on, which is known since Linux 5.5."""
PIDFD_GETFD = 438
syscall = ctypes.CDLL(None, use_errno=True).syscall


class Program(ctypes.Structure):
    """The kernel's struct sock_fprog.

    C code alone fills it, because the kernel copies each page that a fresh fork writes to.
    """

    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def arch() -> str | None:
    """Return this machine's architecture if there is a filter for it, otherwise None."""
    machine = os.uname().machine
    if machine not in AUDIT:
        return None
    return machine


def program_for(
    processes: int,
    syscalls: tuple[str, ...] = (),
    pid: int | None = None,
    *,
    watched: bool = False,
    counts_forks: bool = False,
    networked: bool = False,
) -> bytes:
    """Return the program for this machine; raise OSError when there is none.

    `syscalls` are allowed beside the policy, whatever their arguments. The bot can send signals to
    `pid` only, itself; None = it sees no process but its own, in a pid namespace. The program of a
    `watched` bot asks instead of refusing a call, and with `counts_forks` it asks before a fork,
    too. A `networked` bot has a network of its own, and the calls of `call_policy.NETWORKED`.
    """
    machine = arch()
    if machine is None:
        known = " and ".join(AUDIT)
        raise OSError(0, f"no seccomp filter is written for {os.uname().machine}, only for {known}")
    code = program(
        machine,
        processes,
        syscalls,
        own_pid=pid is not None,
        watched=watched,
        counts_forks=counts_forks,
        networked=networked,
    )
    if pid is None:
        return code
    placeholder = call_policy.OWN_PID.to_bytes(4, "little")
    return code.replace(placeholder, pid.to_bytes(4, "little"))


def install(program: bytes) -> None:
    """Put this process, and all that it starts, under the program for good.

    `no_new_privs` must be set before. OSError: EACCES when it is not, EINVAL when the kernel has no
    filters.
    """
    struct = Program(len(program) // INSTRUCTION.size, program)
    result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(struct), 0, 0)
    checked(result, "seccomp")


listener = -1
"""In a watched child: the descriptor at which the kernel asks about each call that is not
allowed, and before each fork."""


def install_watched(program: bytes) -> None:
    """Do the same with the program of a watched bot, which asks at `listener`.

    Raise OSError as `install` does.
    """
    global listener
    listener = _install_listening(program)


def ask_before_forks() -> int:
    """Have the kernel ask before this process, or any that it starts, makes a process.

    Return the listener. This is a filter of its own, which allows everything else. `no_new_privs`
    must be set before. Raise OSError where the kernel cannot ask, or where arena itself runs under
    a filter that has a listener.
    """
    machine = os.uname().machine
    known = numbers(machine)
    code = _laid(LOAD, ARCHITECTURE)
    code += _laid(EQUAL, AUDIT[machine], 1, 0)
    code += _laid(ANSWER, ALLOW)
    code += _laid(LOAD, NUMBER)
    for name in ("fork", "vfork", "clone3"):  # what clone3 makes is behind a pointer
        if name in known:
            code += _laid(EQUAL, known[name], 0, 1)
            code += _laid(ANSWER, ASK)
    code += _laid(EQUAL, known["clone"], 1, 0)
    code += _laid(ANSWER, ALLOW)
    code += _ask_unless_thread()
    return _install_listening(code, SINCE_LINUX_5_7)


def _install_listening(program: bytes, flags: int = 0) -> int:
    """Put this process under a program that asks; return the listener.

    Raise OSError as `install` does.
    """
    struct = Program(len(program) // INSTRUCTION.size, program)
    known = numbers(os.uname().machine)
    number = ctypes.c_long(known["seccomp"])
    flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER
    result = syscall(
        number,
        SECCOMP_SET_MODE_FILTER,
        flags,
        ctypes.byref(struct),
    )
    return checked(result, "seccomp")


def copy_listener(pid: int, descriptor: int) -> int:
    """Return a copy of the listener of a process below us.

    Raise OSError where the system forbids that.
    """
    process = os.pidfd_open(pid)
    try:
        return checked(syscall(PIDFD_GETFD, process, descriptor, 0), "pidfd_getfd")
    finally:
        os.close(process)


@cache
def program(
    arch: str,
    processes: int,
    syscalls: tuple[str, ...],
    *,
    own_pid: bool,
    watched: bool = False,
    counts_forks: bool = False,
    networked: bool = False,
) -> bytes:
    """Return the policy as an array of struct sock_filter."""
    known = numbers(arch)
    refusals = [*call_policy.refusals(arch), errno.ENOSYS]
    answers = [REFUSE | refusal for refusal in refusals]
    if watched:
        answers = [ASK] * len(answers)
    blocks = [_laid(ANSWER, answer) for answer in answers]
    allowed = call_policy.allowed(networked=networked) | set(syscalls)
    for name in allowed & known.keys():
        if name in syscalls:
            blocks[known[name]] = _laid(ANSWER, ALLOW)
        elif processes > 1 or name not in call_policy.PROCESSES.split():
            # Where forks are counted, a question about such a call means that it is allowed.
            asks_first = watched and counts_forks and name in call_policy.FORKS
            refusal = REFUSE | errno.EPERM
            if watched and not asks_first:
                refusal = ASK
            block = _checks(
                name,
                processes,
                refusal,
                own_pid=own_pid,
                networked=networked,
            )
            if not asks_first:
                block += _laid(ANSWER, ALLOW)
            elif name == "clone":
                block += _ask_unless_thread()
            else:
                block += _laid(ANSWER, ASK)
            blocks[known[name]] = block

    ranges = []
    for number, block in enumerate(blocks):
        if number == 0 or block != blocks[number - 1]:
            ranges.append((number, block))
    kill = _laid(ANSWER, KILL_PROCESS)
    if arch == "x86_64":
        ranges.append((X32, kill))

    code = _laid(LOAD, ARCHITECTURE)
    code += _laid(EQUAL, AUDIT[arch], 1, 0)
    code += kill
    code += _laid(LOAD, NUMBER)
    for first, block in reversed(ranges):
        if first:  # the range that is laid last needs no comparison
            code += _laid(AT_LEAST, first, 0, len(block) // INSTRUCTION.size)
        code += block
    return code


def _ask_unless_thread() -> bytes:
    """Return instructions that allow a `clone` of a thread, and ask before one of a process."""
    code = _laid(LOAD, ARGUMENTS)
    code += _laid(ANY_OF, call_policy.CLONE_THREAD, 0, 1)
    code += _laid(ANSWER, ALLOW)
    return code + _laid(ANSWER, ASK)


def _checks(
    name: str,
    processes: int,
    refusal: int,
    *,
    own_pid: bool,
    networked: bool,
) -> bytes:
    """Return the instructions of all checks of a call; `refusal` is the answer if one fails."""
    checks = list(call_policy.CHECKS.get(name, ()))
    if networked and name in call_policy.NETWORKED_CHECKS:
        checks = list(call_policy.NETWORKED_CHECKS[name])
    further = call_policy.OF_ONE_PROCESS
    if processes > 1:
        further = call_policy.OF_SEVERAL
    checks += further.get(name, ())
    if own_pid and name in call_policy.TO_ITSELF:
        checks.insert(0, call_policy.TO_ITSELF[name])
    return b"".join(_lay_check(check, refusal) for check in checks)


def _lay_check(check: Check, refusal: int) -> bytes:
    """Return instructions that refuse the call unless the check holds, and go on otherwise."""
    # The low 32 bits of an argument come first, on a little-endian machine.
    code = _laid(LOAD, ARGUMENTS + 8 * check.argument)
    if check.mask != call_policy.ALL_BITS:
        code += _laid(MASK, check.mask)
    following = len(check.values)
    for value in check.values:
        following -= 1  # comparisons that follow this one; the refusal is behind them
        if not check.inverted:
            code += _laid(EQUAL, value, following + 1, 0)
        elif following:
            code += _laid(EQUAL, value, following, 0)
        else:
            code += _laid(EQUAL, value, 0, 1)
    return code + _laid(ANSWER, refusal)


def _laid(
    code: int,
    operand: int,
    yes: int = 0,
    no: int = 0,
) -> bytes:
    return INSTRUCTION.pack(code, yes, no, operand)
