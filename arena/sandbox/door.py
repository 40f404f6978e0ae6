"""The door: start a bot's process, end it, learn how it went.

It owns the spawner process of this referee process and the folder its bots live in. It does not read or write what
bots say.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self

from arena.match import Bot, Conditions, Limits
from arena.sandbox import bubblewrap, orphans, procfs, rlimits, spawner, toolchain, users, warm, watchdog
from arena.sandbox.folder import Folder, Room
from arena.sandbox.plan import CONFINING, Plan
from arena.sandbox.watchdog import Watchdog

PYTHON = "{python}"
"""The word in a command that stands for the interpreter that runs arena."""
SPAWN = "import sys; sys.path[0] = sys.argv[3]; from arena.sandbox.spawner import main; main()"
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # so that a bot that iterates over sets plays the same each time
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}
"""What every bot is told by its environment, and the spawner: nothing of the user's own."""
WARM = ("landlock", "rlimits", "none")
"""The levels that confine a process, and not only a program that it becomes."""
PATIENCE = 30.0
"""Seconds until a spawner that does not answer counts as lost: a bot may have stopped it."""


class SpawnerLostError(RuntimeError):
    """The spawner process is gone: arena's own failure, so the match must be played again."""


class ConfinementError(RuntimeError):
    """A bot could not be confined: arena's own failure, so the match must be played again."""


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


class Door:
    """Starts and ends bots. A context manager: at its end nothing that it started is left."""

    def __init__(self, cores: int | None = None) -> None:
        """`cores` is how many its bots may count on; None = all that this process has."""
        self.cores = cores or len(os.sched_getaffinity(0))
        self.folder = Folder()
        self._preloaded: tuple[str, ...] | None = None
        self._users: dict[tuple[str, ...], bool] = {}
        self._numbers = count(os.getpid())
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            here = str(Path(__file__).parents[2])
            self._spawner = subprocess.Popen(
                [sys.executable, *warm.FLAGS, "-c", SPAWN, str(theirs.fileno()), str(self.folder.path), here],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                env=ENVIRONMENT,
                start_new_session=True,  # Ctrl-C in the terminal is for the referee, which then ends the spawner
            )
        self._socket = ours
        self._socket.settimeout(PATIENCE)

    @property
    def lifeline(self) -> int:
        """A descriptor that hangs up when the spawner is gone."""
        return self._socket.fileno()

    def start(self, bot: Bot, conditions: Conditions, rules: Path | None, *, builds: bool = False) -> Child:
        """Start the bot, confined as the conditions say; `Child.error` says why when it can't be run.

        `rules` is the rules file that it may search with; None = it gets no kit. What `builds` gets a copy of its files
        that it may write.
        """
        limits = conditions.limits.tightened(bot.limits)
        kit = [str(self.folder.kit(rules))] if rules else []
        argv = [sys.executable if word == PYTHON else word for word in bot.command]
        argv[0] = shutil.which(argv[0]) or argv[0]  # by the organiser's PATH; the bot itself gets a plain one
        read = (*kit, *_files_of(argv), *(toolchain.needs(argv[0]) if Path(argv[0]).is_absolute() else ()))
        user = self._user(conditions.sandbox, read)
        room = self.folder.room(bot, own_copy=builds or conditions.sandbox not in CONFINING, user=user)
        plan = Plan(
            level=conditions.sandbox,
            home=str(room.home),
            scratch=str(room.scratch),
            read=read,
            limits=rlimits.table(limits),
            processes=limits.processes or 1,
            scratch_bytes=limits.scratch or 0,
            builds=builds,
            warm=conditions.warm and bot.warm and not builds and conditions.sandbox in WARM and warm.fits(argv),
            user=user,
        )
        if plan.warm:
            self._preload(conditions.preload)
        message = {"op": "start", "argv": argv, "env": _environment(room.scratch, *kit), "plan": plan}
        with _pipes() as (theirs, ours):
            answer = self._request(message, theirs)
            if "failed" in answer:
                raise ConfinementError(f"{conditions.sandbox}: {answer['failed']}")
        stdin, stdout, stderr = ours
        return Child(
            pid=answer.get("pid", 0),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            room=room,
            limits=limits,
            plan=plan,
            error=answer.get("error", ""),
            inherited=answer.get("resident", 0),
        )

    def watchdog(self, child: Child) -> Watchdog:
        """What looks at this child while it runs."""
        plan = child.plan
        alone = plan.processes == 1 and plan.level in CONFINING
        processes: Callable[[], Iterable[int]] = partial(_program if alone else self._group, child)
        mounted = plan.level == "bubblewrap" and not plan.builds
        scratch = partial(_in_mount, child) if mounted else partial(_in_folder, child, processes)
        return Watchdog(child.limits, child.inherited, processes, scratch)

    def _group(self, child: Child) -> Iterator[int]:
        """Every process of the bot, also one whose parent is gone; of bubblewrap's own, none."""
        skipped = {child.pid, *procfs.children(child.pid)} if child.plan.level == "bubblewrap" else set()
        for pid in procfs.below(self._spawner.pid):
            if pid not in skipped and (seen := procfs.see(pid)) is not None and seen.group == child.pid:
                yield pid

    def _preload(self, modules: tuple[str, ...]) -> None:
        if modules != self._preloaded:
            self._request({"op": "preload", "modules": modules})
            self._preloaded = modules

    def _user(self, level: str, read: tuple[str, ...]) -> int | None:
        """Whom a bot becomes when we are root: a user of its own, where that user can read what it needs."""
        if os.getuid() != 0 or level == "none":
            return None
        user = users.FIRST + next(self._numbers) % users.COUNT
        if read not in self._users:
            question = {"op": "can_read", "user": user, "through": str(self.folder.path), "paths": read}
            self._users[read] = self._request(question)["can"]
        if not self._users[read] and level == "bubblewrap":
            raise ConfinementError(
                f"{level}: run by root, a bot must become an unprivileged user first, and such a user cannot read "
                f"{', '.join(read)}; install the interpreter where everybody can read it, or use the level landlock"
            )
        return user if self._users[read] else None

    def end(self, child: Child, grace: float = 0.0) -> Exit:
        """Reap a child and its process group, killing what does not end by itself within `grace` seconds."""
        how = self.finish(child, grace)
        child.room.discard()
        return how

    def finish(self, child: Child, grace: float = 0.0) -> Exit:
        """The same, but leave its folder, for who still wants to look into it."""
        how: dict[str, Any] = {"code": 127, "killed": False, "cpu": 0.0, "memory": 0}
        if child.pid:
            how = self._request({"op": "end", "pid": child.pid, "grace": grace})
            if child.plan.level == "bubblewrap":
                how["code"] = bubblewrap.exit_code(how["code"])
        how["memory"] = max(0, how["memory"] - child.inherited)
        return Exit(**how)

    def sweep(self) -> int:
        """Kill whatever bots left behind, in whatever session it hides; returns how many processes that were."""
        swept: int = self._request({"op": "sweep"})["swept"]
        return swept

    def close(self) -> None:
        """End the spawner and with it everything it started; remove the folder."""
        self._socket.close()
        self._spawner.send_signal(signal.SIGCONT)  # a bot may have stopped it
        try:
            self._spawner.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._spawner.kill()
        if self._spawner.wait() != 0:
            orphans.kill(self.folder.path)
        self.folder.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> dict[str, Any]:
        try:
            socket.send_fds(self._socket, [json.dumps(message).encode()], descriptors)
            text = self._socket.recv(spawner.MESSAGE)
        except (ConnectionError, TimeoutError) as error:
            self._spawner.kill()  # its bots die with it, and nobody waits for it again
            raise SpawnerLostError("the spawner process is gone, or does not answer") from error
        if not text:
            raise SpawnerLostError("the spawner process is gone")
        answer: dict[str, Any] = json.loads(text)
        return answer


def _environment(scratch: Path, *kit: str) -> dict[str, str]:
    """All that a bot is told by its environment."""
    return {**ENVIRONMENT, "HOME": str(scratch), "TMPDIR": str(scratch), "PYTHONPATH": ":".join(kit)}


def _files_of(argv: list[str]) -> tuple[str, ...]:
    """The files that a command names in full, such as those of a [[bot]] table's."""
    return tuple(
        word for word in argv if Path(word).is_absolute() and Path(word).is_file() and not toolchain.public(word)
    )


def _program(child: Child) -> tuple[int, ...]:
    pid = child.program()
    return () if pid is None else (pid,)


def _in_folder(child: Child, processes: Callable[[], Iterable[int]]) -> tuple[int, int]:
    """What is in the folder that it may write, and in files that it has removed there and still holds."""
    folder = str(child.room.path if child.plan.builds else child.room.scratch)
    stored, files = watchdog.in_folder(folder, child.limits.files or watchdog.MANY)
    return stored + watchdog.in_removed_files(processes(), folder), files


def _in_mount(child: Child) -> tuple[int, int]:
    """What is in the scratch folder that only the bot's own namespace has."""
    pid = child.program()
    return watchdog.in_mount(f"/proc/{pid}/root{child.plan.scratch}") if pid else (0, 0)


@contextlib.contextmanager
def _pipes() -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Three pipes: the bot's ends, which are closed afterwards, and ours, which stay unless all this fails."""
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    ours_err, theirs_err = os.pipe()
    ours = (ours_in, ours_out, ours_err)
    try:
        yield (theirs_in, theirs_out, theirs_err), ours
    except BaseException:
        _close(*ours)
        raise
    finally:
        _close(theirs_in, theirs_out, theirs_err)
    for descriptor in ours:
        os.set_blocking(descriptor, False)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
