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
    own_network,
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
from arena.sandbox.folder import Folder, Room
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
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""The environment of every bot, and of the spawner. It has nothing of the user's own."""
USERS_WAIT_S, USERS_POLL_S = 300.0, 0.05
"""The longest wait for free users, and the time between two looks."""


class Launcher:
    """Starts and ends bots. A context manager: at its end nothing that it started is left."""

    def __init__(
        self,
        cores: tuple[int, ...] | None = None,
        *,
        watches: bool = False,
    ) -> None:
        """`cores` are those that its bots may count on; None = all that this process has.

        `watches`: count the system calls that are refused to its bots, at the levels that can
        report them.
        """
        self.refused: RefusedCalls | None = None
        if watches and system.LINUX:
            arch = seccomp.arch()
            if arch is not None:
                self.refused = RefusedCalls(arch)
        # This comes before the sockets and pipes of this launcher, which could land there.
        descriptors.keep_standard_open()
        self.cores = cores or system.cores()
        self._prepared: set[BotKind] = set()
        self._user_checks: dict[tuple[str, ...], dict[str, Any]] = {}
        """Answers about users, by the files that a bot must read."""
        self._reserved: list[tuple[int, int]] = []
        """Users for the next bots, and the claims to them."""
        self._claims: dict[int, int] = {}
        """The claims to users, by the process of the bot that is the user."""
        self._spawner: SpawnerProcess | Subprocesses
        # Ctrl-C may come in any of these, or a process be refused.
        with contextlib.ExitStack() as opened:
            opened.callback(self._release_all_but, ())
            self.folder = Folder()
            opened.callback(self.folder.remove)
            self._cgroups = cgroups.opened()
            if self._cgroups is not None:
                opened.callback(self._cgroups.close)
            own_environment = _environment(self.folder.path)
            environment = ENVIRONMENT | warm.room_for(own_environment)
            if system.LINUX:
                self._spawner = SpawnerProcess(self.folder.path, environment, self.refused)
            else:
                self._spawner = Subprocesses(self.folder.path, environment)
            opened.callback(self._spawner.close)
            self._opened = opened.pop_all()

    @property
    def lifeline(self) -> int:
        """A descriptor that hangs up when the spawner is gone."""
        return self._spawner.lifeline

    @property
    def protection(self) -> str:
        """Return what bots get beside the level, as a record shows it; empty if nothing."""
        if self._cgroups is None:
            return ""
        return cgroups.description(self._cgroups.controllers)

    @contextlib.contextmanager
    def users_for(
        self,
        count: int,
        level: str,
        make_room: Callable[[], None],
    ) -> Iterator[None]:
        """Wait until there are users for these bots, which are started in this `with`.

        Hold no user while waiting: otherwise lanes that wait for each other's users would wait for
        ever. `make_room` ends all bots that the lane can do without.
        """
        is_root = os.getuid() == 0
        if is_root and levels.TABLE[level].restricts and users.uids():
            self._reserved = self._claim_users(count, make_room)
        try:
            yield
        finally:
            _give_back(self._reserved)

    def _claim_users(
        self,
        count: int,
        make_room: Callable[[], None] = lambda: None,
    ) -> list[tuple[int, int]]:
        """Return this number of users and the claims to them.

        Raise MachineError when there are too few users for USERS_WAIT_S.
        """
        claimed: list[tuple[int, int]] = []
        until = time.monotonic() + USERS_WAIT_S
        with contextlib.ExitStack() as unfinished:
            unfinished.callback(_give_back, claimed)
            while len(claimed) < count:
                # The first try is random: by a number that counts up, a bot could count matches.
                first = secrets.randbelow(len(users.uids()))
                try:
                    user_and_claim = users.claim(first)
                except OSError as error:
                    raise MachineError(
                        f"sandbox: no bot can become a user of its own: {error.strerror}"
                    ) from error
                if user_and_claim is not None:
                    claimed.append(user_and_claim)
                    continue

                _give_back(claimed)
                make_room()
                if time.monotonic() > until:
                    raise NoUsersError(
                        f"sandbox: all {len(users.uids())} users that bots become are taken by "
                        "other runs of root; wait for these, or use fewer workers, and run the "
                        "same command again"
                    )
                time.sleep(USERS_POLL_S)
            unfinished.pop_all()
        return claimed

    def start(
        self,
        bot: Bot,
        conditions: Conditions,
        rules: Path | None,
        *,
        builds: bool = False,
        networked: bool = False,
        shown: Mapping[str, Path] = {},
        readable: Sequence[Path] = (),
    ) -> Child:
        """Start the bot, confined as the conditions say.

        `rules` is the rules file that it may search with; None = it gets no kit. A bot that
        `builds` gets a copy of its files that it may write to. One that is `networked` has a
        network of its own, in which `Child.endpoint` listens. `shown` are further folders that it
        may read, by the variables that name them, and `readable` are others. `Child.error` says why
        a bot could not be started.
        """
        level = levels.TABLE[conditions.sandbox]
        limits = conditions.limits_of(bot)
        if level.restricts:
            rlimits.refuse_lower(limits)
        if not builds:  # few builds use what they may
            self.refuse_full_disk(level, limits)

        kit: tuple[str, ...] = ()
        if rules:
            kit = (str(self.folder.kit(rules)),)
        argv, files = toolchain.resolved(bot.command)
        variables = {name: str(folder) for name, folder in shown.items()}
        further = tuple(map(str, readable))
        read = kit + files + tuple(variables.values()) + further
        if level.confines:
            exposure.refuse_exposed_copies(self.folder.path, files + further)

        processes = limits.processes or 1
        may_fork = processes > 1
        tasks = 0
        if may_fork:
            tasks = watchdog.THREADS * processes
        plays_confined = level.confines and not builds
        watches = self.refused is not None and plays_confined and not level.wrapped
        counts_forks = may_fork and plays_confined and not conditions.syscalls
        starts_warm = not builds and self._starts_warm(bot, conditions, level, argv)

        with contextlib.ExitStack() as unfinished:
            user, claim = self._claim_user(level, read)
            if claim is not None:
                unfinished.callback(os.close, claim)
            cgroup = self._new_cgroup(level, limits)
            if cgroup is not None:
                unfinished.callback(cgroup.remove)
            needs_copy = builds or not level.confines
            bot_room = self.folder.room(bot, own_copy=needs_copy, user=user)
            unfinished.callback(bot_room.discard)

            places: tuple[tuple[str, str], ...] = ()
            if networked:
                places = _folders_in_network(bot_room, variables, kit)
            tasks_of_user = 0
            if user is not None:
                tasks_of_user = tasks
            limit_rows = _limit_rows(
                conditions,
                level,
                limits,
                tasks_of_user,
                networked=networked,
            )
            cgroup_path = ""
            if cgroup is not None:
                cgroup_path = cgroup.path
            spec = LaunchSpec(
                level=level.name,
                home=str(bot_room.home),
                scratch=str(bot_room.scratch),
                read=read,
                limits=limit_rows,
                processes=processes,
                tasks=tasks,
                scratch_bytes=limits.scratch or 0,
                builds=builds,
                warm=starts_warm,
                syscalls=conditions.syscalls,
                watched=watches,
                counts_forks=counts_forks,
                cgroup=cgroup_path,
                user=user,
                places=places,
            )

            self._prepare(spec, conditions.preload, kit, rules)
            scratch = spec.place(str(bot_room.scratch))
            kit_paths = tuple(map(spec.place, kit))
            environment = _environment(Path(scratch), kit_paths)
            for name, folder in variables.items():
                environment[name] = spec.place(folder)
            if networked:
                environment |= own_network.VARIABLES
            with pipes() as (theirs, ours):
                answer = self._request_start(spec, argv, environment, theirs)
                if "unwatched" in answer:
                    # The spawner may not look into its own children: root can lack the capability.
                    self.refused = None
                    spec = spec._replace(watched=False)
                    answer = self._request_start(spec, argv, environment, theirs)
            unfinished.pop_all()

        pid = answer.get("pid", 0)
        if claim is not None and pid:
            self._claims[pid] = claim
        elif claim is not None:
            os.close(claim)
        stdin, stdout, stderr = ours
        inherited = 0
        if spec.warm:
            inherited = answer.get("resident", 0)
        return Child(
            pid=pid,
            spawner=self._spawner.pid,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            room=bot_room,
            limits=limits,
            spec=spec,
            error=answer.get("error", ""),
            errno=answer.get("errno", 0),
            cgroup=cgroup,
            inherited=inherited,
            forks=answer.get("forks"),
            endpoint=answer.get("endpoint"),
        )

    def refuse_full_disk(self, level: Level, limits: Limits) -> None:
        """Raise MachineError where the disk has less room than these limits allow a bot."""
        if not level.wrapped:
            self.folder.refuse_full(limits)

    def _starts_warm(
        self,
        bot: Bot,
        conditions: Conditions,
        level: Level,
        argv: tuple[str, ...],
    ) -> bool:
        """Return whether a bot that does not build is a fork of the spawner."""
        is_wanted = conditions.warm and bot.warm
        is_possible = self._spawner.warms and not level.wrapped
        return is_wanted and is_possible and warm.fits(argv)

    def _request_start(
        self,
        spec: LaunchSpec,
        argv: tuple[str, ...],
        environment: dict[str, str],
        pipe_ends: tuple[int, int, int],
    ) -> dict[str, Any]:
        """Have the spawner start a bot; return its answer."""
        message = [list(argv), environment, tuple(spec)]
        return self._spawner.request(
            child_setup.START,
            message,
            pipe_ends,
            subject=spec.level,
            counts_forks=spec.counts_forks,
        )

    def _claim_user(self, level: Level, read: tuple[str, ...]) -> tuple[int | None, int | None]:
        """Return the user that a bot becomes when we are root, and the claim to it.

        No other bot is this user. Return (None, None) where no such user can read what the bot
        needs.
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

        reserved = self._reserved or self._claim_users(1)
        user, claim = reserved.pop()
        try:
            if read not in self._user_checks:
                question = [user, str(self.folder.path), read]
                self._user_checks[read] = self._spawner.request(
                    child_setup.CHECK_USER,
                    question,
                    subject=level.name,
                )
        except BaseException:
            os.close(claim)
            raise

        answer = self._user_checks[read]
        if not answer["unreadable"] and not answer["why"]:
            return user, claim
        os.close(claim)
        if not level.wrapped:
            return None, None
        if answer["why"]:
            raise ConfinementError(
                f"{needs}root of this namespace cannot: {answer['why']}; use the level landlock"
            )
        raise ConfinementError(
            f"{needs}such a user cannot read {answer['unreadable'][0]}; install the interpreter "
            "where everybody can read it, or use the level landlock"
        )

    def _new_cgroup(self, level: Level, limits: Limits) -> Cgroup | None:
        """Return a new cgroup with the limits of one bot, where arena has a delegated one."""
        if self._cgroups is None or not level.restricts:
            return None
        memory = None
        if limits.memory is not None:
            memory = int(limits.memory * watchdog.RESIDENT_FACTOR)
            if level.wrapped:  # its scratch folder is in memory
                memory += limits.scratch or 0
        processes = limits.processes or None
        if processes is None and level.confines:
            processes = 1
        tasks = None
        if processes is not None:
            tasks = processes * watchdog.THREADS + rlimits.HELPERS
        try:
            return self._cgroups.new(memory, tasks)
        except OSError:
            # Somebody has removed or limited what was delegated. All other limits hold without it.
            return None

    def _prepare(
        self,
        spec: LaunchSpec,
        modules: tuple[str, ...],
        kit: tuple[str, ...],
        rules: Path | None,
    ) -> None:
        """Let the spawner prepare once what all bots of this kind share.

        The spawner is never told a bot's own files.
        """
        readable = kit + toolchain.needs(sys.executable)
        other_user = spec.user is not None
        kind = BotKind(
            spec.level,
            spec.processes,
            spec.syscalls,
            other_user,
            readable,
        )
        if spec.warm:
            # This is done also if the bot does not import them: later bots see what is loaded, and
            # must not learn of an opponent.
            rules_name = ""
            if rules:
                rules_name = rules.name
            kind = kind._replace(
                modules=modules,
                kit="".join(kit),
                rules=rules_name,
            )
        if kind not in self._prepared:
            self._spawner.request(spawner.PREPARE, kind, subject=spec.level)
            self._prepared.add(kind)

    def end(self, child: Child, grace: float = 0.0) -> Exit:
        """Reap a child and its process group; kill what does not end within `grace` seconds."""
        exits = self.end_all([(child, grace)])
        return exits[0]

    def end_all(
        self,
        children: Sequence[tuple[Child, float]],
        living: tuple[int, ...] | None = None,
    ) -> tuple[Exit, ...]:
        """End several children, each with its grace, in one request.

        If `living` is not None, sweep as well.
        """
        exits, _ = self._reap_all(children, living)
        for child, _ in children:
            # The room goes before the user is another bot's, which could enter it at `rlimits`.
            child.room.discard()
            if child.cannot_fork:  # so no process is left that could use its user
                self._release(child.pid)
        if living is not None:
            self._release_all_but(living)
        return exits

    def reap(self, child: Child, grace: float = 0.0) -> Exit:
        """Do what `end` does, but leave the folder for a caller that still reads it."""
        exits, _ = self._reap_all([(child, grace)], None)
        return exits[0]

    def sweep(self, living: tuple[int, ...] = ()) -> int:
        """Kill what ended bots left behind, in any session; return how many processes that were.

        `living` are the processes of bots that play on.
        """
        _, swept = self._reap_all([], living)
        self._release_all_but(living)
        return swept

    def _reap_all(
        self,
        children: Sequence[tuple[Child, float]],
        living: tuple[int, ...] | None,
    ) -> tuple[tuple[Exit, ...], int]:
        """Reap children, then sweep, in one request.

        Return their exits and the number of processes that were swept.
        """
        started = tuple((child.pid, grace) for child, grace in children if child.pid)
        answer = self._spawner.request(spawner.END, (started, living))
        reports = iter(answer["exits"])
        exits = []
        for child, _ in children:
            report = None
            if child.pid:
                report = next(reports)
            exits.append(_exit(child, report))
        return tuple(exits), answer["swept"]

    def _release_all_but(self, living: tuple[int, ...]) -> None:
        for pid in self._claims.keys() - set(living):
            self._release(pid)

    def _release(self, pid: int) -> None:
        claim = self._claims.pop(pid, None)
        if claim is not None:
            os.close(claim)

    def close(self) -> None:
        """End the spawner and with it everything it started; remove the folder."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def cleaning_up(end: Callable[[], object]) -> Iterator[None]:
    """Call `end`, which ends processes of a launcher, after the `with`.

    After an error in the `with`, `end` may find the spawner lost. That is no further error, because
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
        _, claim = claimed.pop()
        os.close(claim)


def _folders_in_network(
    bot_room: Room,
    variables: Mapping[str, str],
    kit: tuple[str, ...],
) -> tuple[tuple[str, str], ...]:
    """Return each folder of a bot in a network of its own, with the path where it finds it."""
    folders = {
        "bot": str(bot_room.home),
        "scratch": str(bot_room.scratch),
    }
    for name, folder in variables.items():
        folders[name.lower()] = folder
    for number, folder in enumerate(kit):
        folders[f"kit{number}"] = folder

    places = []
    for name, folder in folders.items():
        places.append((folder, f"{own_network.FOLDER}/{name}"))
    return tuple(places)


def _limit_rows(
    conditions: Conditions,
    level: Level,
    limits: Limits,
    tasks: int,
    *,
    networked: bool,
) -> rlimits.Rows:
    """Return the rows for setrlimit; `tasks` are the threads of a bot with a user of its own."""
    rows = rlimits.tasks(tasks)
    if level.restricts:
        # A kept bot plays several matches, and the kernel would count their CPU time together.
        counted = limits
        if conditions.keep:
            counted = replace(limits, cpu=None)
        rows = rlimits.table(counted, address_space=not networked) + rows
    return rows


def _exit(child: Child, report: dict[str, Any] | None) -> Exit:
    """Return how a child ended, as the spawner reports it; None for one that did not start."""
    if not report:
        report = {
            "code": 127,
            "killed": False,
            "cpu": 0.0,
            "memory": 0,
        }
    if child.pid:
        report["code"] = child.level.exit_code(report["code"])
    report["memory"] = max(0, report["memory"] - child.inherited)
    if child.cgroup is not None:
        if not child.cannot_fork:
            cpu = child.cgroup.cpu()
            report["cpu"] = max(report["cpu"], cpu)
        report["out_of_memory"] = child.cgroup.out_of_memory()
        child.cgroup.remove()
    return Exit(**report)


def _environment(scratch: Path, kit: tuple[str, ...] = ()) -> dict[str, str]:
    folder = str(scratch)
    return ENVIRONMENT | {
        "HOME": folder,
        "TMPDIR": folder,
        "PYTHONPATH": ":".join(kit),
    }
