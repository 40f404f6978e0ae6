"""The level `landlock`: the kernel opens only the files of rules, and takes only listed calls.

It needs no privilege and no namespace, so it works in containers. Landlock guards files (and, where
it is new enough, connections and signals). The seccomp filter guards what Landlock does not know:
sockets, other processes, IPC, the attributes of files. Each alone leaks. Source: the kernel's
Documentation/userspace-api/landlock.rst.

How it works. A ruleset lists the rights that need a rule from now on; all others stay free. Each
rule grants some of them on a file, or on a folder with everything below it. A rule names its file
by an open descriptor. The spawner opens what all bots may read once (`prepare`), and each child
inherits these descriptors by its fork. So a child only opens its two own folders and what its own
command needs, adds the rules, and restricts itself for good.
"""

import ctypes
import os
import stat
import struct
from functools import cache

from arena.sandbox import rlimits, seccomp
from arena.sandbox.file_policy import DEVICES, PROGRAMS, SETTINGS
from arena.sandbox.level import BotKind, LaunchSpec, Level, checked

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
VERSION, PATH_BENEATH = 1, 1
EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
MAKE_SYM = 1 << 12
REFER = 1 << 13
TRUNCATE = 1 << 14
IOCTL_DEV = 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that a rule may grant on a file that is not a folder."""

READ = EXECUTE | READ_FILE | READ_DIR
SCRATCH = (
    READ_FILE
    | READ_DIR
    | WRITE_FILE
    | TRUNCATE
    | REMOVE_DIR
    | REMOVE_FILE
    | MAKE_DIR
    | MAKE_REG
    | MAKE_SYM
    | REFER
)
"""The rights in a scratch folder. A bot may not run what it wrote, nor make devices, pipes and
sockets."""
DEVICE = READ_FILE | WRITE_FILE | TRUNCATE
TERMINAL = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | IOCTL_DEV
TERMINALS = ("/dev/ptmx", "/dev/pts", "/dev/tty")
"""Of a mount namespace with terminals of its own (`own_network.py`)."""
HANDLED_FILES = {
    1: (1 << 13) - 1,
    2: (1 << 14) - 1,
    3: (1 << 15) - 1,
    5: (1 << 16) - 1,
}
"""The rights on files that need a rule, by the version of Landlock that brought them."""
HANDLED_NET = 0b11
"""The rights to bind and to connect."""
NET_SINCE = 4
"""The version of Landlock from which connections need a rule."""
SCOPED = 0b11
"""Connections to abstract sockets, and signals."""
SIGNALS_SCOPED = 6
"""The version of Landlock from which a bot can send signals to its own processes only."""

syscall = ctypes.CDLL(None, use_errno=True).syscall
syscall.restype = ctypes.c_long


class Landlock(Level):
    """The level `landlock`."""

    name = "landlock"
    confines = True
    needs = (
        "it needs Linux 5.13 or newer with Landlock switched on "
        "(`lsm=` of the kernel's command line)"
    )

    def prepare(self, kind: BotKind) -> None:
        """Make the rules on what every bot may read, and the filter."""
        _public_rules()
        for path in kind.readable:
            if path not in _prepared and os.path.exists(path):
                _prepared[path] = _rule(path, READ)
        _filter_program(kind)  # so that it is built before the fork

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:
        """Restrict files, then limits, then system calls; return the command."""
        rlimits.no_new_privs()
        ruleset = _ruleset(net=not spec.networked)
        for rule in _public_rules():
            _add_rule(ruleset, rule)
        for path in spec.read:
            rule_of_all = _prepared.get(path)
            if rule_of_all is not None:  # this saves the system call of `exists`
                _add_rule(ruleset, rule_of_all)
            elif os.path.exists(path):
                _add_rule(ruleset, _rule(path, READ))

        home_rights = READ
        if spec.builds:
            home_rights |= SCRATCH
        _add_rule(ruleset, _rule(spec.home, home_rights))
        scratch_rights = SCRATCH
        if spec.networked:
            scratch_rights |= READ
        _add_rule(ruleset, _rule(spec.scratch, scratch_rights))
        if spec.networked:
            for path in TERMINALS:
                _add_rule(ruleset, _rule(path, TERMINAL))

        # It may open its input and output again, as /dev/stdin and /dev/stdout. An anonymous pipe
        # needs no rule for that, and can have none.
        for descriptor, right in ((0, READ_FILE), (1, WRITE_FILE)):
            rule = struct.pack("=Qi", right, descriptor)
            syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
        result = syscall(RESTRICT_SELF, ruleset, 0)
        checked(result, "Landlock: restrict")
        os.close(ruleset)

        rlimits.apply(spec)  # after the rules: a limit on open files would count their descriptors
        if spec.watched:
            program = _filter_program(spec, watched=True, counts_forks=spec.counts_forks)
            seccomp.install_watched(program)
        else:
            program = _filter_program(spec, networked=spec.networked)
            seccomp.install(program)
        return argv


def _ruleset(*, net: bool) -> int:
    """Return the descriptor of a new ruleset, with all rights that this kernel knows."""
    abi = version()
    connections = 0
    if net and abi >= NET_SINCE:
        connections = HANDLED_NET
    scoped = 0
    if abi >= SIGNALS_SCOPED:
        scoped = SCOPED
    rights = struct.pack("QQQ", _handled(), connections, scoped)
    if abi >= SIGNALS_SCOPED:
        size = 24
    elif abi >= NET_SINCE:
        size = 16
    else:
        size = 8
    result = syscall(CREATE_RULESET, rights, ctypes.c_size_t(size), 0)
    return checked(result, "Landlock: create")


def _add_rule(ruleset: int, rule: bytes) -> None:
    result = syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
    checked(result, "Landlock: rule")


@cache
def version() -> int:
    """Return the version of Landlock that this kernel offers; 0 = none."""
    result = syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    return max(0, int(result))


def _filter_program(
    bot: BotKind | LaunchSpec,
    *,
    watched: bool = False,
    counts_forks: bool = False,
    networked: bool = False,
) -> bytes:
    """Return the program of the filter for this process as a bot.

    It may signal itself only; its other processes too, where Landlock keeps signals inside.
    """
    several = bot.processes > 1 and version() >= SIGNALS_SCOPED
    own_pid = None
    if not several:
        own_pid = os.getpid()
    return seccomp.program_for(
        bot.processes,
        bot.syscalls,
        own_pid,
        watched=watched,
        counts_forks=counts_forks,
        networked=networked,
    )


_prepared: dict[str, bytes] = {}
"""In the spawner: rules with open descriptors, by path. They do not move while it lives."""


@cache
def _handled() -> int:
    """Return the rights on files that this kernel asks for. Raise OSError if it has no Landlock."""
    if not version():
        raise OSError(0, "this kernel has no Landlock")
    newest = max(least for least in HANDLED_FILES if least <= version())
    return HANDLED_FILES[newest]


@cache
def _public_rules() -> list[bytes]:
    """Return the rules on the files that every bot may use.

    A file below a granted folder needs no rule. Not every system has all of the files.
    """
    rules: list[bytes] = []
    granted: list[str] = []
    for path in PROGRAMS + SETTINGS:
        real = os.path.realpath(path)
        is_granted = real.startswith(tuple(granted))
        if os.path.exists(path) and not is_granted:
            rules.append(_rule(path, READ))
            granted.append(f"{real}/")
    devices = filter(os.path.exists, DEVICES)
    rules += [_rule(path, DEVICE) for path in devices]
    return rules


def _rule(path: str, rights: int) -> bytes:
    """Return the kernel's struct that grants these rights on a path; its descriptor stays open."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    granted = rights & _handled()
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        granted &= FILE_RIGHTS
    return struct.pack("=Qi", granted, descriptor)
