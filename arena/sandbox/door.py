"""The door: start a bot's process, end it, learn how it went.

It owns the spawner process of this referee process and the folder its bots live in. It does not read or write what
bots say.
"""

import marshal
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any, Self

from arena.match import Bot, Conditions
from arena.sandbox import birth, bubblewrap, orphans, procfs, rlimits, spawner, toolchain, users, warm
from arena.sandbox.child import Child, Exit, pipes
from arena.sandbox.folder import Folder
from arena.sandbox.meter import Meter
from arena.sandbox.plan import CONFINING, Plan
from arena.sandbox.watchdog import Watchdog

__all__ = ["PYTHON", "Child", "ConfinementError", "Door", "Exit", "SpawnerLostError"]

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


PLAIN = 0
"""The version of marshal that knows no interned texts: who reads a message keeps nothing of it."""


class SpawnerLostError(RuntimeError):
    """The spawner process is gone: arena's own failure, so the match must be played again."""


class ConfinementError(RuntimeError):
    """A bot could not be confined: arena's own failure, so the match must be played again."""


class Door:
    """Starts and ends bots. A context manager: at its end nothing that it started is left."""

    def __init__(self, cores: tuple[int, ...] | None = None) -> None:
        """`cores` are those that its bots may count on; None = all that this process has."""
        self.cores = cores or tuple(sorted(os.sched_getaffinity(0)))
        self.folder = Folder()
        self._prepared: set[tuple[object, ...]] = set()
        self._preloaded: tuple[str, ...] = ()
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
                env=ENVIRONMENT | warm.room_for(_environment(self.folder.path)),
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
        argv, files = _resolved(bot.command)
        read = (*kit, *files)
        user = self._user(conditions.sandbox, read)
        room = self.folder.room(bot, own_copy=builds or conditions.sandbox not in CONFINING, user=user)
        plan = Plan(
            level=conditions.sandbox,
            home=str(room.home),
            scratch=str(room.scratch),
            read=read,
            limits=rlimits.table(replace(limits, cpu=None) if conditions.keep else limits),
            processes=limits.processes or 1,
            scratch_bytes=limits.scratch or 0,
            builds=builds,
            warm=conditions.warm and bot.warm and not builds and conditions.sandbox in WARM and warm.fits(argv),
            user=user,
        )
        try:
            self._prepare(plan, conditions.preload if plan.warm else (), tuple(kit))
            with pipes() as (theirs, ours):
                message = [list(argv), _environment(room.scratch, *kit), tuple(plan)]
                answer = self._request(birth.START, message, theirs, failing=conditions.sandbox)
        except BaseException:
            room.discard()
            raise
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
        return Watchdog(child.limits, child.inherited, processes, partial(child.stored, processes))

    def meter(self, child: Child) -> Meter:
        """What reads what this child uses; where it may fork, with all that it forked."""
        return Meter(child.program, None if child.limits.processes == 1 else partial(self._group, child))

    def _group(self, child: Child) -> Iterator[int]:
        """Every process of the bot, also one whose parent is gone; of bubblewrap's own, none."""
        skipped = {child.pid, *procfs.children(child.pid)} if child.plan.level == "bubblewrap" else set()
        for pid in procfs.below(self._spawner.pid):
            if pid not in skipped and (seen := procfs.see(pid)) is not None and seen.group == child.pid:
                yield pid

    def _prepare(self, plan: Plan, modules: tuple[str, ...], kit: tuple[str, ...]) -> None:
        """Have the spawner do once what serves every such bot: it is told of no bot's own files."""
        if modules and modules != self._preloaded:
            self._request(spawner.PRELOAD, [modules], failing="preload")
            self._preloaded = modules
        wanted = [plan.level, plan.processes, plan.user is not None, (*kit, *toolchain.needs(sys.executable))]
        if (key := tuple(wanted)) not in self._prepared:
            self._request(spawner.PREPARE, wanted, failing=plan.level)
            self._prepared.add(key)

    def _user(self, level: str, read: tuple[str, ...]) -> int | None:
        """Whom a bot becomes when we are root: a user of its own, where that user can read what it needs."""
        if os.getuid() != 0 or level == "none":
            return None
        user = users.FIRST + next(self._numbers) % users.COUNT
        if read not in self._users:
            self._users[read] = self._request(birth.ASK, [user, str(self.folder.path), read])["can"]
        if not self._users[read] and level == "bubblewrap":
            raise ConfinementError(
                f"{level}: run by root, a bot must become an unprivileged user first, and such a user cannot read "
                f"{', '.join(read)}; install the interpreter where everybody can read it, or use the level landlock"
            )
        return user if self._users[read] else None

    def end(self, child: Child, grace: float = 0.0) -> Exit:
        """Reap a child and its process group, killing what does not end by itself within `grace` seconds."""
        how = self.finish(child, grace)
        if child.plan.processes == 1 and child.plan.level in CONFINING:  # nobody is left who could use it
            self.folder.vacate(child.room)
        else:
            child.room.discard()
        return how

    def finish(self, child: Child, grace: float = 0.0) -> Exit:
        """The same, but leave its folder, for who still wants to look into it."""
        how: dict[str, Any] = {"code": 127, "killed": False, "cpu": 0.0, "memory": 0}
        if child.pid:
            how = self._request(spawner.END, [child.pid, grace])
            if child.plan.level == "bubblewrap":
                how["code"] = bubblewrap.exit_code(how["code"])
        how["memory"] = max(0, how["memory"] - child.inherited)
        return Exit(**how)

    def sweep(self, kept: tuple[int, ...] = ()) -> int:
        """Kill whatever bots left behind, in whatever session it hides; returns how many processes that were."""
        swept: int = self._request(spawner.SWEEP, kept)["swept"]
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

    def _request(
        self, operation: bytes, message: Iterable[Any] = (), descriptors: tuple[int, ...] = (), *, failing: str = ""
    ) -> dict[str, Any]:
        """Have the spawner do something; its answer. ConfinementError when it cannot be done, about `failing`."""
        try:
            socket.send_fds(self._socket, [operation + marshal.dumps(tuple(message), PLAIN)], descriptors)
            told = self._socket.recv(birth.MESSAGE)
        except (ConnectionError, TimeoutError) as error:
            self._spawner.kill()  # its bots die with it, and nobody waits for it again
            raise SpawnerLostError("the spawner process is gone, or does not answer") from error
        if not told:
            raise SpawnerLostError("the spawner process is gone")
        answer: dict[str, Any] = marshal.loads(told)  # noqa: S302 (it is our own process, and no bot's)
        if "failed" in answer:
            raise ConfinementError(f"{failing}: {answer['failed']}")
        return answer


def _environment(scratch: Path, *kit: str) -> dict[str, str]:
    """All that a bot is told by its environment."""
    return {**ENVIRONMENT, "HOME": str(scratch), "TMPDIR": str(scratch), "PYTHONPATH": ":".join(kit)}


@cache
def _resolved(command: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a command comes to, and what it must read: files that it names in full, what its interpreter needs."""
    argv = [sys.executable if word == PYTHON else word for word in command]
    argv[0] = shutil.which(argv[0]) or argv[0]  # by the organiser's PATH; the bot itself gets a plain one
    named = [word for word in argv if word.startswith("/") and Path(word).is_file() and not toolchain.public(word)]
    needed = toolchain.needs(argv[0]) if argv[0].startswith("/") else ()
    return tuple(argv), tuple(dict.fromkeys((*needed, *named)))


def _program(child: Child) -> tuple[int, ...]:
    pid = child.program()
    return () if pid is None else (pid,)
