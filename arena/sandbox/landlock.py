"""The level `landlock`: the kernel opens nothing to a bot but what it is given, and takes few system calls from it.

Needs no privilege and no namespace, so it works in containers, and costs next to nothing. Landlock guards files (and
signals, where it is new enough); the seccomp filter guards what Landlock does not know: sockets, other processes, IPC,
the attributes of files. Each alone leaks. Source: the kernel's Documentation/userspace-api/landlock.rst.
"""

import ctypes
import os
import stat
import struct
from functools import cache

from arena.sandbox import rlimits, seccomp
from arena.sandbox.plan import Plan

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_DIR, MAKE_REG, MAKE_SYM, REFER, TRUNCATE = 1 << 7, 1 << 8, 1 << 12, 1 << 13, 1 << 14
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
"""What can be granted on a file that is no folder."""

READ = EXECUTE | READ_FILE | READ_DIR
SCRATCH = (
    READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM | REFER
)
"""Everything but to run what was written, and to make devices, pipes and sockets."""
DEVICE = READ_FILE | WRITE_FILE | TRUNCATE
HANDLED_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
HANDLED_NET = 0b11  # bind and connect, from version 4
SCOPED = 0b11  # abstract sockets and signals, from version 6

PROGRAMS = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
"""Where the system's own programs stand."""
SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/ssl/openssl.cnf")
"""What such programs read when they start; Node ends where it may not read the last one."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

syscall = ctypes.CDLL(None, use_errno=True).syscall
syscall.restype = ctypes.c_long


@cache
def version() -> int:
    """The version of Landlock that this kernel offers; 0 = none."""
    return max(0, int(syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)))


def confine(plan: Plan, argv: list[str]) -> list[str]:
    """In the child: files, limits, system calls, in this order; returns what to run."""
    rlimits.no_new_privs()
    _restrict(plan)
    rlimits.apply(plan)  # after that: one on open files would count ours
    seccomp.install(_filter(plan))
    return argv


def _filter(plan: Plan) -> bytes:
    """Signals to itself only; to its other processes too, where Landlock keeps signals in."""
    filters = seccomp.filter_for(plan.processes)
    return filters.for_any_pid() if plan.processes > 1 and version() >= 6 else filters.for_pid(os.getpid())


_prepared: dict[tuple[str, ...], list[bytes]] = {}
"""Rules for what is opened once, in the spawner: places that stay what they are while it lives."""


def prepare(places: tuple[str, ...]) -> None:
    """In the spawner: make the rules for bots that may read these places beside the system's programs."""
    if places not in _prepared:
        _prepared[places] = _shared(places)


def _restrict(plan: Plan) -> None:
    abi = version()
    attributes = struct.pack("QQQ", _handled(), HANDLED_NET if abi >= 4 else 0, SCOPED if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _checked(syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), "create")
    own = _rule(plan.home, READ | SCRATCH if plan.builds else READ), _rule(plan.scratch, SCRATCH)
    for rule in (*(_prepared.get(plan.read) or _shared(plan.read)), *own):
        _checked(syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0), "rule")
    _checked(syscall(RESTRICT_SELF, ruleset, 0), "restrict")
    os.close(ruleset)


@cache
def _handled() -> int:
    """The rights that this kernel asks for. OSError when it has no Landlock."""
    if not version():
        raise OSError(0, "this kernel has no Landlock")
    return next(files for least, files in sorted(HANDLED_FILES.items(), reverse=True) if version() >= least)


def _shared(places: tuple[str, ...]) -> list[bytes]:
    """What a bot has beside its own folders. What lies below a folder that it may read needs no rule of its own."""
    rules: list[bytes] = []
    above: list[str] = []
    for path in filter(os.path.exists, (*PROGRAMS, *SETTINGS, *places)):  # not every system has them all
        real = os.path.realpath(path)
        if not real.startswith(tuple(above)):
            rules.append(_rule(path, READ))
            above.append(f"{real}/")
    return rules + [_rule(path, DEVICE) for path in filter(os.path.exists, DEVICES)]


def _rule(path: str, rights: int) -> bytes:
    """These rights on a place and all below it, as the kernel takes them; the place stays open."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    folder = stat.S_ISDIR(os.fstat(place).st_mode)
    return struct.pack("=Qi", rights & _handled() & (-1 if folder else FILE_RIGHTS), place)


def _checked(answer: int, what: str) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {what}: {os.strerror(ctypes.get_errno())}")
    return answer
