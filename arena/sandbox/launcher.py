"""The launcher: start a bot's process, end it, and return how it ended.

It owns the spawner process of this referee process and the folder in which its bots live. It turns
the conditions of a match into a `LaunchSpec` for one bot: the command, the files, the limits, the
user, the cgroup. It neither reads nor writes what bots say.
"""

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from arena import system
from arena.errors import MachineError, NoUsersError
from arena.sandbox import cgroup as cgroups
from arena.sandbox import (
    child_setup,
    descriptors,
    exposure,
    levels,
    rlimits,
    seccomp,
    spawner,
    toolchain,
    users,
    warm,
    watchdog,
)
from arena.sandbox.cgroup import Cgroup
from arena.sandbox.child import Child, Exit, pipes
from arena.sandbox.folder import Folder
from arena.sandbox.level import BotKind, LaunchSpec, Level
from arena.sandbox.portable import Subprocesses
from arena.sandbox.refused import RefusedCalls
from arena.sandbox.spawner_process import ConfinementError, SpawnerLostError, SpawnerProcess
from arena.values import Bot, Conditions, Limits

__all__ = ["Child", "ConfinementError", "Exit", "Launcher", "SpawnerLostError", "cleaning_up"]

ENVIRONMENT = {
    "PATH": system.PATH,
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # so that a bot that iterates over sets plays the same each time
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}
"""The environment of every bot, and of the spawner: nothing of the user's own."""
USERS_WAIT_S, USERS_POLL_S = 300.0, 0.05
"""The longest wait for free users, and the time between two looks."""


class Launcher:
    """Starts and ends bots. A context manager: at its end nothing that it started is left."""

    def __init__(self, cores: tuple[int, ...] | None = None, *, watches: bool = False) -> None:
        """`cores` are those that its bots may count on; None = all that this process has.

        `watches`: count the system calls that are refused to its bots, at the levels that can
        report them.
        """
        arch = seccomp.arch() if watches and system.LINUX else None
        self.refused = RefusedCalls(arch) if arch is not None else None
        # Before the sockets and pipes of this launcher could land there.
        descriptors.keep_standard_open()
        self.cores = cores or system.cores()
        self.folder = Folder()
        self._cgroups = cgroups.opened()
        self._prepared: set[BotKind] = set()
        self._user_checks: dict[tuple[str, ...], dict[str, Any]] = {}
        """Answers about users, by the files that a bot must read."""
        self._reserved: list[tuple[int, int]] = []
        """Users for the next bots, and the claims to them."""
        self._claims: dict[int, int] = {}
        """The claims to users, by the process of the bot that is the user."""
        environment = ENVIRONMENT | warm.room_for(_environment(self.folder.path))
        self._spawner: SpawnerProcess | Subprocesses
        if system.LINUX:
            self._spawner = SpawnerProcess(self.folder.path, environment, self.refused)
        else:
            self._spawner = Subprocesses(self.folder.path, environment)

    @property
    def lifeline(self) -> int:
        """A descriptor that hangs up when the spawner is gone."""
        return self._spawner.lifeline

    @property
    def protection(self) -> str:
        """Return what bots get beside the level of confinement, as a record shows it.

        The text is empty where that is nothing.
        """
        return "" if self._cgroups is None else cgroups.description(self._cgroups.controllers)

    @contextlib.contextmanager
    def users_for(self, count: int, level: str, make_room: Callable[[], None]) -> Iterator[None]:
        """Wait until there are users for these bots, which are started in this `with`.

        Hold none while it waits.

        Otherwise lanes that wait for each other's users would wait for ever. `make_room` ends all
        bots that the lane can do without.
        """
        needed = count if os.getuid() == 0 and levels.TABLE[level].restricts and users.uids() else 0
        self._reserved = self._claim_users(needed, make_room)
        try:
            yield
        finally:
            _give_back(self._reserved)

    def _claim_users(
        self, count: int, make_room: Callable[[], None] = lambda: None
    ) -> list[tuple[int, int]]:
        """Return this number of users and the claims to them.

        Raise MachineError when there are too few for long.
        """
        claimed: list[tuple[int, int]] = []
        until = time.monotonic() + USERS_WAIT_S
        while len(claimed) < count:
            try:
                # A bot that saw it count could count too.
                found = users.claim(secrets.randbelow(len(users.uids())))
            except OSError as error:
                raise MachineError(
                    f"sandbox: no bot can become a user of its own: {error.strerror}"
                ) from error
            if found is not None:
                claimed.append(found)
                continue
            _give_back(claimed)
            make_room()
            if time.monotonic() > until:
                raise NoUsersError(
                    f"sandbox: all {len(users.uids())} users that bots become are taken by other runs of root; wait "
                    "for these, or use fewer workers, and run the same command again"
                )
            time.sleep(USERS_POLL_S)
        return claimed

    def start(
        self,
        bot: Bot,
        conditions: Conditions,
        rules: Path | None,
        *,
        builds: bool = False,
        shown: Mapping[str, Path] = {},
    ) -> Child:
        """Start the bot, confined as the conditions say.

        `Child.error` says why when it can't be run.

        `rules` is the rules file that it may search with; None = it gets no kit. A bot that
        `builds` gets a copy of its files that it may write to. `shown` are further folders that it
        may read, by the variables that name them.
        """
        level = levels.TABLE[conditions.sandbox]
        limits = conditions.limits_of(bot)
        if level.restricts:
            rlimits.refuse_lower(limits)
        if not builds:  # few builds use what they may
            self.refuse_full_disk(level, limits)
        kit = [str(self.folder.kit(rules))] if rules else []
        argv, files = toolchain.resolved(bot.command)
        variables = {name: str(folder) for name, folder in shown.items()}
        read = (*kit, *files, *variables.values())
        if level.confines:
            exposure.refuse_exposed_copies(self.folder.path, files)
        user, claim = self._claim_user(level, read)
        processes = limits.processes or 1
        tasks = watchdog.THREADS * processes if processes > 1 else 0
        cgroup = self._new_cgroup(level, limits)
        watched = self.refused is not None and level.confines and not level.wrapped and not builds
        room = self.folder.room(bot, own_copy=builds or not level.confines, user=user)
        spec = LaunchSpec(
            level=level.name,
            home=str(room.home),
            scratch=str(room.scratch),
            read=read,
            limits=(
                *(
                    rlimits.table(replace(limits, cpu=None) if conditions.keep else limits)
                    if level.restricts
                    else ()
                ),
                *(rlimits.tasks(tasks) if user is not None else ()),
            ),
            processes=processes,
            tasks=tasks,
            scratch_bytes=limits.scratch or 0,
            builds=builds,
            warm=self._spawner.warms
            and conditions.warm
            and bot.warm
            and not builds
            and not level.wrapped
            and warm.fits(argv),
            syscalls=conditions.syscalls,
            watched=watched,
            counts_forks=processes > 1
            and level.confines
            and not builds
            and not conditions.syscalls
            and not watched,
            cgroup=cgroup.path if cgroup else "",
            user=user,
        )
        try:
            self._prepare(spec, conditions.preload, tuple(kit), rules)
            with pipes() as (theirs, ours):
                message = [list(argv), _environment(room.scratch, *kit) | variables, tuple(spec)]
                answer = self._spawner.request(
                    child_setup.START, message, theirs, subject=level.name
                )
                # Such as root without the capability to look into its own children.
                if "unwatched" in answer:
                    self.refused = None
                    spec = spec._replace(watched=False)
                    message[-1] = tuple(spec)
                    answer = self._spawner.request(
                        child_setup.START, message, theirs, subject=level.name
                    )
        except BaseException:
            room.discard()
            if claim is not None:
                os.close(claim)
            if cgroup:
                cgroup.remove()
            raise
        if claim is not None and answer.get("pid"):
            self._claims[answer["pid"]] = claim
        elif claim is not None:
            os.close(claim)
        stdin, stdout, stderr = ours
        return Child(
            pid=answer.get("pid", 0),
            spawner=self._spawner.pid,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            room=room,
            limits=limits,
            spec=spec,
            error=answer.get("error", ""),
            errno=answer.get("errno", 0),
            cgroup=cgroup,
            inherited=answer.get("resident", 0) if spec.warm else 0,
            forks=answer.get("forks"),
        )

    def refuse_full_disk(self, level: Level, limits: Limits) -> None:
        """Raise MachineError where the disk of scratch folders has less room than these limits allow a bot."""
        if not level.wrapped:
            self.folder.refuse_full(limits)

    def _claim_user(self, level: Level, read: tuple[str, ...]) -> tuple[int | None, int | None]:
        """Return the user that a bot becomes when we are root, and the claim to it, which no other bot has.

        (None, None) where there is no such user that can read what the bot needs.
        """
        if os.getuid() != 0 or not level.restricts:
            return None, None
        needs = f"{level.name}: run by root, a bot must become an unprivileged user first, and "
        if not users.uids():
            if level.wrapped:
                raise ConfinementError(
                    f"{needs}root of this namespace has no other user; use the level landlock"
                )
            return None, None
        user, claim = (self._reserved or self._claim_users(1)).pop()
        try:
            if read not in self._user_checks:
                question = [user, str(self.folder.path), read]
                self._user_checks[read] = self._spawner.request(
                    child_setup.CHECK_USER, question, subject=level.name
                )
        except BaseException:
            os.close(claim)
            raise
        answer = self._user_checks[read]
        if not answer["unreadable"] and not answer["why"]:
            return user, claim
        os.close(claim)
        if level.wrapped:
            if answer["why"]:
                raise ConfinementError(
                    f"{needs}root of this namespace cannot: {answer['why']}; use the level landlock"
                )
            raise ConfinementError(
                f"{needs}such a user cannot read {answer['unreadable'][0]}; install the interpreter where "
                "everybody can read it, or use the level landlock"
            )
        return None, None

    def _new_cgroup(self, level: Level, limits: Limits) -> Cgroup | None:
        """Return a new cgroup with the limits of one bot, where arena has a delegated one."""
        if self._cgroups is None or not level.restricts:
            return None
        scratch = (limits.scratch or 0) if level.wrapped else 0  # it is held in memory
        memory = (
            None
            if limits.memory is None
            else int(limits.memory * watchdog.RESIDENT_FACTOR) + scratch
        )
        processes = limits.processes or (1 if level.confines else None)
        try:
            cgroup = self._cgroups.new()
            cgroup.limit(memory, processes and processes * watchdog.THREADS + rlimits.HELPERS)
        except OSError:
            # Somebody has removed or bounded what was delegated: everything else holds without it.
            return None
        return cgroup

    def _prepare(
        self, spec: LaunchSpec, modules: tuple[str, ...], kit: tuple[str, ...], rules: Path | None
    ) -> None:
        """Let the spawner prepare once what all bots of this kind share.

        It is never told a bot's own files.
        """
        readable = (*kit, *toolchain.needs(sys.executable))
        kind = BotKind(spec.level, spec.processes, spec.syscalls, spec.user is not None, readable)
        if spec.warm:
            # Also if the bot does not import them: later bots see what is loaded, and must not
            # learn of an opponent.
            kind = kind._replace(
                modules=modules, kit="".join(kit), rules=rules.name if rules else ""
            )
        if kind not in self._prepared:
            self._spawner.request(spawner.PREPARE, kind, subject=spec.level)
            self._prepared.add(kind)

    def end(self, child: Child, grace: float = 0.0) -> Exit:
        """Reap a child and its process group, killing what does not end by itself within `grace` seconds."""
        return self.end_all([(child, grace)])[0]

    def end_all(
        self, children: Sequence[tuple[Child, float]], living: tuple[int, ...] | None = None
    ) -> tuple[Exit, ...]:
        """Do this for several children, each with its grace, in one request.

        Sweep too, if `living` is not None.
        """
        exits, _ = self._reap_all(children, living)
        # Before its user is another bot's: at `rlimits` that one could enter what is left.
        for child, _ in children:
            child.room.discard()
            if child.cannot_fork:  # so no process is left that could use its user
                self._release(child.pid)
        if living is not None:
            self._release_all_but(living)
        return exits

    def reap(self, child: Child, grace: float = 0.0) -> Exit:
        """Do what `end` does, but leave the folder for a caller that still reads it."""
        return self._reap_all([(child, grace)], None)[0][0]

    def sweep(self, living: tuple[int, ...] = ()) -> int:
        """Kill what ended bots left behind, in any session; return how many processes that were.

        `living` are the processes of bots that play on.
        """
        swept = self._reap_all([], living)[1]
        self._release_all_but(living)
        return swept

    def _reap_all(
        self, children: Sequence[tuple[Child, float]], living: tuple[int, ...] | None
    ) -> tuple[tuple[Exit, ...], int]:
        """Reap children, then sweep, in one request.

        Return their exits and the number of processes swept.
        """
        message = tuple((child.pid, grace) for child, grace in children if child.pid), living
        answer = self._spawner.request(spawner.END, message)
        exits = iter(answer["exits"])
        return tuple(
            _exit(child, next(exits) if child.pid else None) for child, _ in children
        ), answer["swept"]

    def _release_all_but(self, living: tuple[int, ...]) -> None:
        self._release(*(self._claims.keys() - set(living)))

    def _release(self, *pids: int) -> None:
        for pid in pids:
            if pid in self._claims:
                os.close(self._claims.pop(pid))

    def close(self) -> None:
        """End the spawner and with it everything it started; remove the folder."""
        self._spawner.close()
        self.folder.remove()
        if self._cgroups is not None:
            self._cgroups.close()
        self._release(*list(self._claims))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def cleaning_up(end: Callable[[], object]) -> Iterator[None]:
    """Call `end`, which ends processes of a launcher, after the `with`.

    After an error in the `with` it may find the spawner lost: that is no further error, because
    whatever the spawner had started ended with it. The first error says why the work ended, such as
    that its user has interrupted it.
    """
    try:
        yield
    except BaseException:
        with contextlib.suppress(SpawnerLostError):
            end()
        raise
    end()


def _give_back(claimed: list[tuple[int, int]]) -> None:
    while claimed:
        os.close(claimed.pop()[1])


def _exit(child: Child, how: dict[str, Any] | None) -> Exit:
    """Return how a child ended, as the spawner reports it.

    Return None for a child that could not be started.
    """
    how = how or {"code": 127, "killed": False, "cpu": 0.0, "memory": 0}
    if child.pid:
        how["code"] = child.level.exit_code(how["code"])
    how["memory"] = max(0, how["memory"] - child.inherited)
    if child.cgroup is not None:
        if not child.cannot_fork:
            how["cpu"] = max(how["cpu"], child.cgroup.cpu())
        how["out_of_memory"] = child.cgroup.out_of_memory()
        child.cgroup.remove()
    return Exit(**how)


def _environment(scratch: Path, *kit: str) -> dict[str, str]:
    return {
        **ENVIRONMENT,
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "PYTHONPATH": ":".join(kit),
    }
