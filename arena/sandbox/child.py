"""A bot's process as arena sees it: its number, its three pipes, its folder, and how it ended.

Only the launcher makes and ends one. The methods here stop it, wake it and look at it.
"""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena import system
from arena.sandbox import levels, procfs, timed_pipe
from arena.sandbox.cgroup import Cgroup
from arena.sandbox.family import FamilyMeter
from arena.sandbox.folder import Room
from arena.sandbox.forks import Forks
from arena.sandbox.level import LaunchSpec, Level
from arena.sandbox.meter import Meter
from arena.values import Limits


@dataclass(frozen=True)
class Exit:
    """The end of a process: its exit code, and what it used."""

    code: int
    """Exit code, or minus the number of the signal."""
    killed: bool
    """True when arena killed it."""
    cpu: float
    """Seconds, with those of its reaped children."""
    memory: int
    """Peak resident bytes."""
    out_of_memory: bool = False
    """Whether the kernel killed it because its cgroup had more memory than allowed."""

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exit {self.code}"
        try:
            return f"signal {signal.Signals(-self.code).name}"
        except ValueError:
            return f"signal {-self.code}"


@dataclass(frozen=True, kw_only=True)
class Child:
    """A bot's process, as arena sees it. Its three pipes are non-blocking.

    Its owner reads, writes and closes them.
    """

    pid: int
    """The leader of the bot's process group; 0 when it could not be started."""
    spawner: int
    """The process that forked it."""
    stdin: int
    stdout: int
    stderr: int
    room: Room
    limits: Limits
    """The lower of the event's and the bot's own."""
    spec: LaunchSpec
    error: str = ""
    """Why it could not be started."""
    errno: int = 0
    """The error number of the system, when it could not be started."""
    cgroup: Cgroup | None = None
    """The bot's cgroup, where arena has a delegated one."""
    forks: Forks | None = None
    """The count of its forks, where it may fork and the kernel asks before each fork."""
    endpoint: int | None = None
    """The socket that listens in its own network, if it has one; its owner closes it."""
    inherited: int = 0
    """Bytes that are resident from its first moment on: a warm start has them from the spawner."""

    @property
    def level(self) -> Level:
        """The level of confinement."""
        return levels.TABLE[self.spec.level]

    @property
    def cannot_fork(self) -> bool:
        """Return whether the bot is one process for certain, because its filter refuses to fork."""
        return self.spec.processes == 1 and self.level.confines

    @property
    def cannot_kill_itself(self) -> bool:
        """Return whether its filter refuses all that looks like a kill or a stop by others."""
        return self.cannot_fork and not self.spec.syscalls

    @property
    def has_no_files(self) -> bool:
        """Return whether it certainly never had a file of its own, with a name or without.

        Its filter refuses the calls that set the times of files, and those that make files without
        a name.
        """
        if not self.level.confines or self.spec.syscalls or self.spec.builds:
            return False
        return self.room.untouched

    def program(self) -> int | None:
        """Return the process that runs the bot's own program; None while there is none."""
        return self.level.program(self.pid)

    def processes(self) -> Iterable[int]:
        """Return every process of the bot, also one whose parent is gone or that was not reaped.

        Helpers of its level are not among them.
        """
        if self.cannot_fork:
            pid = self.program()
            if pid is None:
                return ()
            return (pid,)
        helpers = self.level.helpers(self.pid)
        pids: Iterable[int]
        if self.spec.networked:  # it may make sessions and groups, and is alone below its spawner
            pids = procfs.below(self.spawner)
        else:
            pids = procfs.of_group(self.pid, self.spawner)
        return (pid for pid in pids if pid not in helpers)

    def meter(self) -> Meter:
        """Return a new meter; where the bot may fork, the meter counts all that it forked."""
        if not system.LINUX:
            return Meter(lambda: None)  # this meter reads nothing
        if self.limits.processes == 1 or self.cannot_fork:
            return Meter(self.program)
        counted = None
        if self.cgroup is not None:
            counted = self.cgroup.cpu
        if self.forks is None:
            return Meter(self.program, self.processes, counted)
        return FamilyMeter(self.program, self.processes, counted, self.forks)

    @property
    def confined(self) -> str:
        """Return the level, cgroup, user and additional calls, as a record shows them."""
        parts = [self.spec.level]
        if self.cgroup is not None:
            parts.append(str(self.cgroup))
        if self.spec.user is not None:
            parts.append(f"as user {self.spec.user}")
        elif os.getuid() == 0 and self.level.restricts:
            parts.append("as root without capabilities")
        if self.spec.syscalls and self.level.confines:
            parts.append(f"with {' and '.join(self.spec.syscalls)} allowed")
        return ", ".join(parts)

    def freeze(self) -> None:
        """Stop its process group, until `thaw`."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let its process group run again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self.pid:  # only `Launcher.end` reaps it, so until then no other process has its number
            # `suppress` costs as much as the call, and this is done twice a turn.
            try:  # noqa: SIM105
                os.killpg(self.pid, number)
            except (ProcessLookupError, PermissionError):
                # The group has ended; macOS raises the second error then.
                pass


@contextlib.contextmanager
def pipes() -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Make three pipes; yield the bot's ends, and ours.

    The bot's ends are closed at the end of the `with`. Ours are closed only if it fails.
    """
    opened: list[int] = []
    try:
        for make in (timed_pipe.make, timed_pipe.make, os.pipe):
            opened += make()
        theirs_in, ours_in, ours_out, theirs_out, ours_err, theirs_err = opened
        theirs = (theirs_in, theirs_out, theirs_err)
        ours = (ours_in, ours_out, ours_err)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        yield theirs, ours
        opened = [theirs_in, theirs_out, theirs_err]
    finally:
        for descriptor in opened:
            os.close(descriptor)
