"""What a bot's process is to us: its number, its three pipes, and how it ended.

Made by the door, which alone starts and ends it. Here it is only looked at, stopped and woken.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from arena.match import Limits
from arena.sandbox import bubblewrap, watchdog
from arena.sandbox.folder import Room
from arena.sandbox.plan import Plan


@dataclass(frozen=True)
class Exit:
    """How a process ended."""

    code: int
    """Exit code, or minus the number of the signal."""
    killed: bool
    """True when arena killed it."""
    cpu: float
    """Seconds, with those of its reaped children."""
    memory: int
    """Peak resident bytes."""

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exit {self.code}"
        try:
            return f"signal {signal.Signals(-self.code).name}"
        except ValueError:
            return f"signal {-self.code}"


@dataclass(frozen=True, kw_only=True)
class Child:
    """A bot's process: its three pipes are ours to read, write and close; non-blocking."""

    pid: int
    """Leads the bot's process group; 0 when it could not be started."""
    stdin: int
    stdout: int
    stderr: int
    room: Room
    limits: Limits
    """The lower of the event's and the bot's own."""
    plan: Plan
    error: str = ""
    """Why it could not be started."""
    inherited: int = 0
    """Bytes resident from its first moment on, which a warm start has from the spawner."""

    def program(self) -> int | None:
        """The process that runs the bot's own program; None while it is not there."""
        return bubblewrap.program_inside(self.pid) if self.plan.level == "bubblewrap" else self.pid or None

    @property
    def confined(self) -> str:
        """The level it is confined at, and as whom, in words."""
        if self.plan.user is not None:
            return f"{self.plan.level}, as user {self.plan.user}"
        if os.getuid() == 0 and self.plan.level != "none":
            return f"{self.plan.level}, as root without capabilities"
        return self.plan.level

    def freeze(self) -> None:
        """Stop it and all that it forked, until `thaw`."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it run again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self.pid:  # it is reaped by `Door.end` only, so that its number is nobody else's until then
            try:  # noqa: SIM105 (`suppress` costs as much as the call, and this is done twice a turn)
                os.killpg(self.pid, number)
            except ProcessLookupError:
                pass

    def stored(self, processes: Callable[[], Iterable[int]]) -> tuple[int, int]:
        """(bytes, files) in what it may write; `processes` lists those that may hold files without a name."""
        if self.plan.level == "bubblewrap" and not self.plan.builds:  # in a mount that only its own namespace has
            pid = self.program()
            return watchdog.in_mount(f"/proc/{pid}/root{self.plan.scratch}") if pid else (0, 0)
        folder = str(self.room.path if self.plan.builds else self.room.scratch)
        stored, files = watchdog.in_folder(folder, self.limits.files or watchdog.MANY)
        return stored + watchdog.in_removed_files(processes(), folder), files


@contextlib.contextmanager
def pipes() -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Three pipes: the bot's ends, which are closed afterwards, and ours, which stay unless all this fails."""
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
