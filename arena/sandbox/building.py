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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import MachineError
from arena.failure import Failure
from arena.sandbox import procfs
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
TIMEOUT_S = 120.0
"""The wall time that a build may take."""
OUTPUT_BYTES = 8 * 1024
"""The length of the end of the output, which is kept."""
LITTLE_ROOM = Limits(scratch=10_000_000, files=100)
"""When the disk has less room left than this, that may be why a build failed."""
EXIT_GRACE_S = 1.0
"""The time that a command has to exit after it has closed its output."""
ANSWER_BYTES = 4096
"""A pipe that can take anything takes this much at once."""
READ_BYTES = 65536
MOST_LAST_READS = 64
"""The reads of what a command printed before it ended: what it left behind may print for ever."""

Hear = Callable[[bytes], bytes | Failure]
Keep = Callable[[bytes], Failure | None]
Look = Callable[[], float | Failure]
Attend = Callable[[int], AbstractContextManager[Look]]


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


def build(
    launcher: Launcher,
    bot: Bot,
    command: Iterable[str],
    level: str,
    target: Path,
) -> Built:
    """Run the build command on a copy of the bot's files, and copy the result to `target`.

    `target` is a folder that does not exist yet; it is made only if the build succeeds. Files that
    are no part of a bot are not copied: the bot's digest does not include them either.

    Raise OSError when the files cannot be copied. Raise MachineError when the build fails and a
    disk is full, which is nobody's fault.
    """
    builder = replace(
        bot,
        command=tuple(command),
        limits=None,
        processes=None,
    )
    conditions = Conditions(sandbox=level, limits=BUILD_LIMITS)
    with at_work(launcher, builder, conditions, TIMEOUT_S) as (built, home):
        if built.failed:
            launcher.folder.refuse_full(LITTLE_ROOM)
            return built
        try:
            Copier(programs=True, leave_out=LEFT_OUT).copy(home, target)
        except OSError as error:
            discard(target)
            if error.errno not in DISK_ERRORS:
                raise
            message = f"{target.parent}: cannot be written: {error.strerror}"
            raise MachineError(message) from error
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
    readable: Sequence[Path] = (),
    hear: Hear | None = None,
    keep: Keep | None = None,
    attend: Attend | None = None,
) -> Iterator[tuple[Built, Path]]:
    """Run the command of a bot on a copy of its files; yield how it ended, and the copy.

    When this yields, nothing that the command started lives any more. The copy is removed
    afterwards. `shown` are folders that the command may read, by the variables that name them.

    With `hear` the input of the command stays open. `hear` gets each part of its output, and
    returns the answer that is written to its input, or a failure that ends it. The command is
    frozen meanwhile, and does not pay for the time until an answer.

    `keep` gets all output, and returns a failure where that is too much. With `attend` the command
    has a network of its own; `attend` gets the socket that listens there. What it returns says at
    each look how many seconds the command need not pay for, or returns a failure that ends it.
    """
    networked = attend is not None
    child = launcher.start(
        bot,
        conditions,
        rules,
        builds=True,
        networked=networked,
        shown=shown,
        readable=readable,
    )
    is_swept = False
    try:
        if hear is None:
            os.close(child.stdin)
        try:
            with ExitStack() as stack:
                attended = None
                if attend is not None and child.endpoint is not None:
                    attended = stack.enter_context(attend(child.endpoint))
                excess, late, output = _wait(child, seconds, hear, keep, attended)
        except BaseException:
            with suppress(SpawnerLostError):  # the command has ended with its spawner
                launcher.reap(child)
                is_swept = True
            raise
        finally:
            if hear is not None:
                os.close(child.stdin)
        must_be_killed = excess is not None or late
        grace = EXIT_GRACE_S
        if must_be_killed:
            grace = 0.0
        end = launcher.reap(child, grace)
        launcher.sweep()  # a process that is left could change the files while they are copied
        is_swept = True
        if not must_be_killed:
            excess = Watchdog(child).look(math.inf)
        built = Built(end, output, child.error, excess, late)
        yield built, child.room.home
    finally:
        os.close(child.stdout)
        os.close(child.stderr)
        if child.endpoint is not None:
            os.close(child.endpoint)
        # If the spawner was killed, the launcher ends what is left by the note in this room.
        if is_swept:
            child.room.discard()


def _wait(
    child: Child,
    seconds: float,
    hear: Hear | None,
    keep: Keep | None,
    attended: Look | None,
) -> tuple[Failure | None, bool, bytes]:
    """Wait until the command or its output ends, whichever is first.

    Processes that the command leaves behind may hold its output open; nobody waits for them. Return
    the limit that was exceeded, whether the command was late, and the end of the output.
    """
    watchdog = Watchdog(child)
    until = time.monotonic() + seconds
    open_pipes = {child.stdout, child.stderr}
    output = b""
    answers = b""
    last_reads = 0
    while open_pipes and child.pid:
        waiting_input = []
        if answers:
            waiting_input = [child.stdin]
        has_ended = procfs.has_ended(child.pid)
        pause = WATCHDOG_INTERVAL_S
        if has_ended:
            pause = 0.0
        readable, writable, _ = select.select(
            list(open_pipes),
            waiting_input,
            [],
            pause,
        )
        if has_ended:
            last_reads += 1
            if not readable or last_reads > MOST_LAST_READS:
                break
        for descriptor in readable:
            try:
                data = os.read(descriptor, READ_BYTES)
            except BlockingIOError:  # the command has read from its own pipe what was there
                continue
            output = (output + data)[-OUTPUT_BYTES:]
            failure = None
            if keep is not None:
                failure = keep(data)
            if failure is not None:
                return failure, False, output
            if not data:
                open_pipes.discard(descriptor)
            elif hear is not None and descriptor == child.stdout:
                begun = time.monotonic()
                child.freeze()
                answer = hear(data)
                if isinstance(answer, Failure):
                    return answer, False, output
                child.thaw()
                # Only time that was spent on an answer is given back: with a flood of output that
                # needs no answer, a command could extend its time without end.
                if answer:
                    answers += answer
                    until += time.monotonic() - begun
        if writable:
            answers = _unwritten(child.stdin, answers)
        if attended is not None:
            free = attended()
            if isinstance(free, Failure):
                return free, False, output
            until += free
        now = time.monotonic()
        excess = watchdog.look(now)
        if excess is not None:
            return excess, False, output
        if now > until:
            return None, True, output
    return None, False, output


def _unwritten(stdin: int, answers: bytes) -> bytes:
    """Write the beginning of these answers; return the rest."""
    try:
        written = os.write(stdin, answers[:ANSWER_BYTES])
    except BlockingIOError:  # the command has filled the pipe of its own input
        return answers
    except BrokenPipeError:  # the command does not listen, and need not
        return b""
    return answers[written:]
