"""Builds: run the build command of a bot on a copy of its files, confined with limits of its own.

So does whatever else works on a copy of a bot's files, such as an agent that writes bots
(`at_work`). A compiler needs many processes, memory and a folder to write to; it needs neither the
network nor other people's files. The files that it leaves are the bot that plays. It cannot change
modes, so programs that it links become executable when it has ended.
"""

import math
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import MachineError
from arena.failure import Failure
from arena.sandbox.copying import Copier
from arena.sandbox.folder import FULL_DISK as DISK_ERRORS
from arena.sandbox.folder import LEFT_OUT, discard
from arena.sandbox.launcher import Child, Exit, Launcher, SpawnerLostError
from arena.sandbox.watchdog import WATCHDOG_INTERVAL_S, Watchdog
from arena.values import Bot, Conditions, Limits

BUILD_LIMITS = Limits(
    memory=2_000_000_000,
    cpu=120.0,
    processes=64,
    scratch=1_000_000_000,
    files=50_000,
    open_files=1024,
)
TIMEOUT_S = 120.0  # of wall time
OUTPUT_BYTES = 8 * 1024  # the end of the output, which is kept
LITTLE_ROOM = Limits(scratch=10_000_000, files=100)
"""A build that fails where the disk has less room left than this may have failed because of
that."""
EXIT_GRACE_S = 1.0  # for a command that closed its output, until it exits
ANSWER_BYTES = 4096  # that a pipe takes at once where it takes any

Hear = Callable[[bytes], bytes | Failure]


@dataclass(frozen=True)
class Built:
    """The result of a build. match/bot/postmortem.py has the words for a failure."""

    exit: Exit
    output: bytes
    """The end of what the command printed."""
    error: str = ""
    """Why the system could not run the command."""
    excess: Failure | None = None
    """The limit that it exceeded, as the watchdog saw it."""
    late: bool = False
    """True when it took longer than it may."""

    @property
    def failed(self) -> bool:
        """True when nothing was made."""
        return bool(self.error or self.excess or self.late or self.exit.code)


def build(launcher: Launcher, bot: Bot, command: Iterable[str], level: str, target: Path) -> Built:
    """Run the command on a copy of the bot's files.

    When it succeeds, copy them and what it made to `target`.

    `target` is a folder that does not exist yet. Files that are no part of a bot are not copied:
    the bot's digest does not include them either. OSError when they cannot be copied; MachineError
    when the build fails and a disk is full, which is nobody's fault.
    """
    builder = replace(bot, command=tuple(command), limits=None, processes=None)
    conditions = Conditions(sandbox=level, limits=BUILD_LIMITS)
    with at_work(launcher, builder, conditions, TIMEOUT_S) as (built, home):
        if built.failed:
            launcher.folder.refuse_full(LITTLE_ROOM)
            return built
        try:
            Copier(programs=True, leave_out=LEFT_OUT).copy(home, target)
        except OSError as error:
            discard(target)
            if error.errno in DISK_ERRORS:
                raise MachineError(
                    f"{target.parent}: cannot be written: {error.strerror}"
                ) from error
            raise
        return built


@contextmanager
def at_work(
    launcher: Launcher,
    bot: Bot,
    conditions: Conditions,
    seconds: float,
    *,
    rules: Path | None = None,
    shown: Mapping[str, Path] = {},
    hear: Hear | None = None,
) -> Iterator[tuple[Built, Path]]:
    """Run the command of a bot on a copy of its files.

    Yield how it ended, and the copy, which is gone afterwards.

    Nothing that the command started lives any more then. `shown` are folders that it may read, by
    the variables that name them. With `hear` its input stays open: what that returns for a part of
    its output is written there, or ends it. It is frozen meanwhile, and the time until an answer is
    not its own.
    """
    child = launcher.start(bot, conditions, rules, builds=True, shown=shown)
    try:
        if hear is None:
            os.close(child.stdin)
        try:
            excess, late, output = _wait(child, seconds, hear)
        except BaseException:
            with suppress(SpawnerLostError):  # which has ended it already
                launcher.reap(child)
            raise
        finally:
            if hear is not None:
                os.close(child.stdin)
        how = launcher.reap(child, 0.0 if excess or late else EXIT_GRACE_S)
        launcher.sweep()  # a process that is left could change the files while they are copied
        if not (excess or late):
            excess = Watchdog(child).look(math.inf)
        yield Built(how, output, child.error, excess, late), child.room.home
    finally:
        os.close(child.stdout)
        os.close(child.stderr)
        child.room.discard()


def _wait(child: Child, seconds: float, hear: Hear | None) -> tuple[Failure | None, bool, bytes]:
    """Wait until the output ends.

    Return the limit that was exceeded, whether it was late, and the output's end.
    """
    watchdog, until = Watchdog(child), time.monotonic() + seconds
    open_pipes, output, answers = {child.stdout, child.stderr}, b"", b""
    while open_pipes and child.pid:
        readable, writable, _ = select.select(
            list(open_pipes), [child.stdin] if answers else [], [], WATCHDOG_INTERVAL_S
        )
        for descriptor in readable:
            try:
                data = os.read(descriptor, 65536)
            except BlockingIOError:  # the command has read from its own pipe what was there
                continue
            output = (output + data)[-OUTPUT_BYTES:]
            if not data:
                open_pipes.discard(descriptor)
            elif hear is not None and descriptor == child.stdout:
                begun = time.monotonic()
                child.freeze()
                answer = hear(data)
                if isinstance(answer, Failure):
                    return answer, False, output
                child.thaw()
                if (
                    answer
                ):  # otherwise nobody waited for it: a flood of words would make its time endless
                    answers += answer
                    until += time.monotonic() - begun
        if writable:
            with suppress(BlockingIOError):  # it has filled its own pipe
                try:
                    answers = answers[os.write(child.stdin, answers[:ANSWER_BYTES]) :]
                except BrokenPipeError:  # it need not listen
                    answers = b""
        now = time.monotonic()
        if (excess := watchdog.look(now)) is not None:
            return excess, False, output
        if now > until:
            return None, True, output
    return None, False, output
