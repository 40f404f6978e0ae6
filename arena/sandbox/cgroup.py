"""A cgroup (version 2) for each bot, where the system has delegated one to arena.

The kernel itself keeps the limits of a cgroup. They add to what every level does anyway, and
everything works without them, too. In its own cgroup, a bot is limited in memory, with all its
children, its files in memory and the kernel's memory for it (memory.max), and in threads and
processes (pids.max). Its CPU time is counted whole, with that of children that nobody waited for
(cpu.stat). It is frozen in a way that no signal undoes (cgroup.freeze). The kernel documents all
this in Documentation/admin-guide/cgroup-v2.rst.

Delegation. This process is in some cgroup X. X counts as delegated when it is not the root of the
machine and we may write to it. Root may write to everything, so for root also systemd must have
marked it so, or it must be the root of a container. In X each referee process makes a folder
`arena-PID-N`, and in that one folder for each bot; a bot enters its own before it is confined. A
cgroup that has processes cannot give the controllers `memory` and `pids` to its children. So where
X has only us and our ancestors in it, they move to `arena-home` until we end; where other processes
are in X, bots do without these two. X may lack a controller, so each is used if it is there.

The variable ARENA_CGROUP of the environment names another cgroup to be used as X, or `none`.
"""

import atexit
import contextlib
import errno
import os
import subprocess
import time
from itertools import count

from arena.system import PROC

VARIABLE = "ARENA_CGROUP"
HOME, PREFIX = "arena-home", "arena-"
CONTROLLERS = ("memory", "pids")
MARKS = ("user.delegate", "trusted.delegate")
"""Attributes by which systemd marks what it has delegated; systemd.resource-control(5)."""
REMOVAL_S = 1.0
"""The longest wait until a cgroup is empty when its processes were killed: the kernel has memory to
free."""
PAUSE_S = 0.0005
"""The time between two attempts to remove a cgroup."""
ENTER_TIMEOUT_S = 10
STAT_BYTES = 64
numbers = count(1)


class Cgroup:
    """The cgroup of one bot."""

    def __init__(self, path: str, controllers: frozenset[str]) -> None:
        self.path = path
        self.controllers = controllers
        self.frozen = False
        self._cpu = os.open(f"{path}/cpu.stat", os.O_RDONLY | os.O_CLOEXEC)

    def __str__(self) -> str:
        return description(self.controllers)

    def limit(self, memory: int | None, tasks: int | None) -> None:
        """Limit the bytes and the threads of all its processes, as its controllers allow."""
        if memory is not None and "memory" in self.controllers:
            _write(f"{self.path}/memory.max", str(memory))
            # The kernel kills all of it: half a bot explains nothing.
            _write(f"{self.path}/memory.oom.group", "1")
            with contextlib.suppress(OSError):  # a kernel without swap has no such file
                _write(f"{self.path}/memory.swap.max", "0")
        if tasks is not None and "pids" in self.controllers:
            _write(f"{self.path}/pids.max", str(tasks))

    def cpu(self) -> float:
        """Return the CPU seconds of all processes that were ever in it."""
        text = os.pread(self._cpu, STAT_BYTES, 0)  # "usage_usec N ..."
        _, microseconds, _ = text.split(maxsplit=2)
        return int(microseconds) / 1e6

    def out_of_memory(self) -> bool:
        """Return whether the kernel has killed it for its memory."""
        with contextlib.suppress(OSError), open(f"{self.path}/memory.events", "rb") as file:
            for line in file:
                event, count = line.split()
                if event == b"oom_kill":
                    return int(count) > 0
        return False

    def freeze(self) -> None:
        """Stop every process in it, whatever signals they send to one another."""
        if not self.frozen:
            _write(f"{self.path}/cgroup.freeze", "1")
            self.frozen = True

    def thaw(self) -> None:
        """Let every process in it run again."""
        if self.frozen:
            _write(f"{self.path}/cgroup.freeze", "0")
            self.frozen = False

    def remove(self) -> None:
        """Kill what is left in it, and remove it.

        If that fails now, the next start of arena removes it.
        """
        os.close(self._cpu)
        remove(self.path)


def description(controllers: frozenset[str]) -> str:
    """Return the description of a cgroup with these controllers, for records."""
    missing = [name for name in CONTROLLERS if name not in controllers]
    if not missing:
        return "cgroup"
    return f"cgroup without {' and '.join(missing)}"


class Cgroups:
    """The cgroups of the bots of one referee process."""

    def __init__(self, parent: str) -> None:
        """Make the cgroup of this referee process; one process tries to enter a cgroup of a bot.

        Raise OSError or SubprocessError when the parent is not delegated after all.
        """
        sweep(parent)
        _give_controllers(parent)
        self._path = f"{parent}/{PREFIX}{os.getpid()}-{next(numbers)}"
        os.mkdir(self._path)
        try:
            enabled = [name for name in CONTROLLERS if _enable(self._path, name)]
            self.controllers = frozenset(enabled)
            trial = self.new()
            try:
                subprocess.run(
                    ["/bin/sh", "-c", 'echo 0 > "$1/cgroup.procs"', "sh", trial.path],
                    check=True,
                    stderr=subprocess.DEVNULL,
                    timeout=ENTER_TIMEOUT_S,
                )
            finally:
                trial.remove()
        except BaseException:
            remove(self._path)
            raise

    def new(self, memory: int | None = None, tasks: int | None = None) -> Cgroup:
        """Make the cgroup of one bot, with these limits of bytes and threads; None = no limit."""
        path = f"{self._path}/bot{next(numbers)}"
        os.mkdir(path)
        cgroup = Cgroup(path, self.controllers)
        try:
            cgroup.limit(memory, tasks)
        except OSError:
            cgroup.remove()
            raise
        return cgroup

    def close(self) -> None:
        """Remove them all."""
        remove(self._path)


def opened() -> Cgroups | None:
    """Return the maker of cgroups for bots; None where no cgroup is delegated."""
    parent = delegated()
    if parent is None:
        return None
    try:
        return Cgroups(parent)
    except (OSError, subprocess.SubprocessError):
        # The cgroup looked delegated, and something forbids to use it, so bots do without.
        return None


def delegated() -> str | None:
    """Return the folder of the cgroup in which we may make others; None when there is none."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "none":
        return None
    if chosen:
        return chosen.rstrip("/")
    path = _current()
    if path is None:
        return None
    if os.path.basename(path) == HOME:
        path = os.path.dirname(path)
    for file in ("", "/cgroup.procs", "/cgroup.subtree_control"):
        if not os.access(f"{path}{file}", os.W_OK):
            return None
    if not os.path.exists(f"{path}/cgroup.freeze"):  # the root of the machine has no such file
        return None
    if os.getuid() != 0 or os.path.ismount(path):
        return path
    for name in MARKS:
        with contextlib.suppress(OSError):
            if os.getxattr(path, name) == b"1":
                return path
    return None


def quota() -> float | None:
    """Return how many cores' time the cgroups around this process let it use; None if all."""
    path = _current()
    least = None
    while path and os.path.exists(f"{path}/cgroup.procs"):
        with contextlib.suppress(OSError, ValueError):
            limit, period = _read(f"{path}/cpu.max")  # "max 100000", or microseconds in each period
            if limit != "max":
                cores = int(limit) / int(period)
                least = min(cores, least or float("inf"))
        path = os.path.dirname(path)
    return least


def sweep(parent: str) -> None:
    """Remove the cgroups of referee processes that were killed."""
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):
            parts = name.split("-")
            if not name.startswith(PREFIX) or len(parts) != 3:
                continue
            _, pid, _ = parts
            if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
                remove(f"{parent}/{name}")


def remove(path: str) -> None:
    """Kill what is in a cgroup and below it, and remove it, unless it stays busy for REMOVAL_S."""
    until = time.monotonic() + REMOVAL_S
    with contextlib.suppress(OSError):
        # This file exists since Linux 5.14; on older systems `Launcher.sweep` kills the processes.
        _write(f"{path}/cgroup.kill", "1")
    while os.path.isdir(path) and time.monotonic() < until:
        try:
            for entry in os.scandir(path):
                if entry.is_dir(follow_symlinks=False):
                    os.rmdir(entry.path)
            os.rmdir(path)
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
            time.sleep(PAUSE_S)


def _current() -> str | None:
    """Return the folder of the cgroup that we are in; None where there is no version 2."""
    try:
        with open(f"{PROC}/self/cgroup") as file:
            lines = file.read().splitlines()
        with open(f"{PROC}/self/mountinfo") as file:
            mounts = [line.split() for line in file if " - cgroup2 " in line]
    except OSError:
        return None
    paths = [line.removeprefix("0::") for line in lines if line.startswith("0::")]
    if not paths:
        return None
    path = paths[0]
    for fields in mounts:
        root = fields[3].rstrip("/")
        mountpoint = fields[4]
        if f"{path}/".startswith(f"{root}/"):
            return (mountpoint + path.removeprefix(root)).rstrip("/")
    return None


def _give_controllers(parent: str) -> None:
    """Give the children of a cgroup its controllers, as far as possible.

    If need be, this process leaves the cgroup for that. Controllers are never given while the
    cgroup has processes: the kernel would give `pids` all the same, but then a child may have
    threads only, and no processes of its own.
    """
    at_home = os.path.basename(_current() or "") == HOME
    available = _read(f"{parent}/cgroup.controllers")
    enabled = _read(f"{parent}/cgroup.subtree_control")
    missing = [name for name in CONTROLLERS if name in available and name not in enabled]
    ours: list[str] = []
    if missing:
        ours = _only_ours(parent)
    if ours:
        home = f"{parent}/{HOME}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(home)
        for pid in ours:
            _write(f"{home}/cgroup.procs", pid)
        at_home = True
    if not _read(f"{parent}/cgroup.procs"):
        for name in missing:
            _enable(parent, name)
    if at_home and parent not in _leaving:
        _leaving.add(parent)
        atexit.register(_come_back, parent, os.getpid())


_leaving: set[str] = set()
"""Cgroups to which this process returns at its end."""


def _only_ours(parent: str) -> list[str]:
    """Return the processes in a cgroup, if they are we and ancestors of us; otherwise nothing."""
    pid = os.getpid()
    family = {str(pid)}
    while pid > 1:
        with open(f"/proc/{pid}/stat") as file:
            _, _, fields = file.read().rpartition(")")
        pid = int(fields.split()[1])  # the parent; proc_pid_stat(5)
        family.add(str(pid))
    inside = _read(f"{parent}/cgroup.procs")
    if str(os.getpid()) in inside and family.issuperset(inside):
        return inside
    return []


def _come_back(parent: str, owner: int) -> None:
    """Move the process that left back when it ends, and all processes that moved with it."""
    if os.getpid() != owner:  # a fork of it
        return
    with contextlib.suppress(OSError):
        for name in CONTROLLERS:
            if name in _read(f"{parent}/cgroup.subtree_control"):
                # This fails while another arena plays here.
                _write(f"{parent}/cgroup.subtree_control", f"-{name}")
        for pid in _read(f"{parent}/{HOME}/cgroup.procs"):
            _write(f"{parent}/cgroup.procs", pid)
        os.rmdir(f"{parent}/{HOME}")


def _enable(path: str, controller: str) -> bool:
    """Give a controller to the children of a cgroup; return whether that worked."""
    with contextlib.suppress(OSError):
        _write(f"{path}/cgroup.subtree_control", f"+{controller}")
        return True
    return False


def _read(path: str) -> list[str]:
    with open(path) as file:
        return file.read().split()


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
