"""A bot's process as arena sees it: its number, its three pipes, its folder, and how it ended.

Only the launcher makes and ends one. The methods here stop it, wake it and look at it.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from arena.sandbox import levels, procfs, watchdog
from arena.sandbox.cgroup import Cgroup
from arena.sandbox.folder import Room
from arena.sandbox.level import LaunchSpec, Level
from arena.values import Limits

STILL_S = 0.01
"""The longest wait until a bot has stopped: a thread that has no core, or waits for the disk, moves no files either."""


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
    """A bot's process. Its three pipes are non-blocking; its owner reads, writes and closes them."""

    pid: int
    """Leads the bot's process group; 0 when it could not be started."""
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
    """Its own, where arena has a delegated one."""
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
        """Return whether its filter refuses all that would look like a kill or a stop by somebody else."""
        return self.cannot_fork and not self.spec.syscalls

    def program(self) -> int | None:
        """Return the process that runs the bot's own program; None while there is none."""
        return self.level.program(self.pid)

    @property
    def confined(self) -> str:
        """Return the level and all that belongs to it as a record shows it: cgroup, user, additional calls."""
        parts = [self.spec.level, *([str(self.cgroup)] if self.cgroup is not None else [])]
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
            try:  # noqa: SIM105 (`suppress` costs as much as the call, and this is done twice a turn)
                os.killpg(self.pid, number)
            except ProcessLookupError:
                pass

    def stored(self, processes: Callable[[], Iterable[int]]) -> tuple[int, int]:
        """Return (bytes, files) of all that it may write; `processes` lists those that may hold files without a name.

        A bot could move its files to a folder that was counted already. So where there are any files they are counted
        again while the bot is stopped; not in a build, which may have very many and is counted again at its end. While
        the room is untouched there never was a file, so there is none without a name either.
        """
        if self.level.private_scratch and not self.spec.builds:
            pid = self.program()
            return watchdog.in_mount(f"/proc/{procfs.living(pid)}/root{self.spec.scratch}") if pid else (0, 0)
        if self.room.untouched:
            return 0, 0
        folder = str(self.room.path if self.spec.builds else self.room.scratch)
        most = self.limits.files or watchdog.MANY_FILES
        stored, files = watchdog.in_folder(folder, most)
        if files and not self.spec.builds:
            with self._stopped(processes):
                stored, files = watchdog.in_folder(folder, most)
                return stored + watchdog.in_removed_files(processes(), folder), files
        return stored + watchdog.in_removed_files(processes(), folder), files

    @contextlib.contextmanager
    def _stopped(self, processes: Callable[[], Iterable[int]]) -> Iterator[None]:
        """Stop it, and wait up to STILL_S until all its threads have stopped; wake it at the end."""
        self.freeze()
        try:
            until = time.monotonic() + STILL_S
            while time.monotonic() < until and not all(
                state in procfs.STOPPED for pid in processes() for state in procfs.states(pid)
            ):
                time.sleep(STILL_S / 40)
            yield
        finally:
            self.thaw()


@contextlib.contextmanager
def pipes() -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Make three pipes: yield the bot's ends, which are closed at the end, and ours, which are closed if this fails."""
    opened: list[int] = []
    try:
        for _ in range(3):
            opened += os.pipe()
        theirs_in, ours_in, ours_out, theirs_out, ours_err, theirs_err = opened
        for descriptor in (ours_in, ours_out, ours_err):
            os.set_blocking(descriptor, False)
        yield (theirs_in, theirs_out, theirs_err), (ours_in, ours_out, ours_err)
        opened = [theirs_in, theirs_out, theirs_err]
    finally:
        for descriptor in opened:
            os.close(descriptor)
