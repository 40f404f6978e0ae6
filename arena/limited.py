"""Work that may kill or exhaust its process, or never end: in a forked process with limits.

It owns the limits, and the words for how such a process ends. It is no sandbox: what runs there is
trusted, as rules are, or is only read, as archives are. It may fail in any way, but it has the
powers of its user.
"""

# The process is forked, because a fresh interpreter would take ten times as long as most of the
# work, and it ends by `os._exit`. It leads a session of its own: Ctrl-C does not reach it, and it
# is ended with all that it has started. The kernel ends it if this process is killed. faulthandler
# says where it was when it broke a limit or crashed, also in C.

import faulthandler
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from arena.errors import ArenaError
from arena.parallel import tie_to
from arena.system import PROC

Item = TypeVar("Item")

LOOK_S = 0.1
"""The time between two checks that the process lives: what it has started may hold its pipe open
after its end."""
MOST_PLACE_BYTES = 65_536
"""The bytes that a pipe holds, so the process never waits until somebody reads where it was."""
PLACE = re.compile(r'File "(.*)", line (\d+) in (.*)')


class CodePlace(NamedTuple):
    """A line of a program."""

    file: str
    line: int
    function: str


class LimitedError(Exception):
    """The process broke a limit, or ended before its work did. The text goes on after "it"."""

    def __init__(self, message: str, places: Iterable[CodePlace] = ()) -> None:
        super().__init__(message)
        self.places = tuple(places)
        """Where the process was, the innermost call first; empty where nobody knows."""


def limited(
    work: Callable[[], Iterable[Item]],
    *,
    memory: int,
    cpu: int,
    wall: float,
) -> Iterator[Item]:
    """Yield what `work()` yields, from a process of its own.

    It may use this memory beside that of this process, and for each item this number of seconds, of
    CPU time and on the wall. An ArenaError of the work is raised here; LimitedError when the
    process ends in another way.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # otherwise both processes would write what waits there
            with suppress(OSError, ValueError):
                stream.flush()
    parent = os.getpid()
    pipes: list[int] = []
    try:
        pipes += os.pipe()
        pipes += os.pipe()
        process = _Fork(os.fork())
    except OSError:
        for descriptor in pipes:
            os.close(descriptor)
        raise
    answers, answering, place_reader, placing = pipes
    if process.pid == 0:
        connection = Connection(answering, readable=False)
        _become_limited(work, connection, placing, memory, cpu, parent)
    os.close(answering)
    os.close(placing)
    with (
        Connection(answers, writable=False) as connection,
        os.fdopen(place_reader, "rb", buffering=0) as traces,
    ):
        try:
            kind, value = _answer(connection, process, wall)
            while kind == "item":
                yield value
                kind, value = _answer(connection, process, wall)
            if kind == "refused":
                raise ArenaError(value)
            if kind == "bug":
                raise RuntimeError(value)
            if kind == "stopped":
                raise LimitedError(*value)
            if kind == "late":
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGUSR1)
                time.sleep(LOOK_S)
                raise LimitedError(f"takes more than {wall:g} s", _places(process, traces))
            if kind == "gone":
                raise LimitedError(_end(process, cpu), _places(process, traces))
        finally:
            process.kill()
            process.ended(waits=True)


def limited_value(
    work: Callable[[], Item],
    *,
    memory: int,
    cpu: int,
    wall: float,
) -> Item:
    """Return what `work()` returns, from a process of its own, as `limited` does."""
    (value,) = limited(lambda: [work()], memory=memory, cpu=cpu, wall=wall)
    return value


class _Fork:
    """A process that was forked, until it is reaped.

    `waitid`, which leaves it there, is not on every system.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.code: int | None = None
        """Its exit code, or minus the number of its signal; None until it has ended."""

    def ended(self, *, waits: bool = False) -> bool:
        """Return whether it has ended; wait for that if asked to."""
        if self.code is None:
            options = os.WNOHANG
            if waits:
                options = 0
            reaped, status = os.waitpid(self.pid, options)
            if reaped:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def kill(self) -> None:
        """Kill it with all that it has started and that has not left its group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self.code is None:  # it may not yet lead a session
            os.kill(self.pid, signal.SIGKILL)


def _answer(
    connection: Connection,
    process: _Fork,
    wall: float,
) -> tuple[str, Any]:
    """Return the next answer of the process: its kind and its value.

    The kind is `late` or `gone` where there is none.
    """
    until = time.monotonic() + wall
    closed = False
    while time.monotonic() < until:
        if closed:
            time.sleep(LOOK_S)
        elif connection.poll(LOOK_S):
            try:
                kind, value = connection.recv()
            except (EOFError, OSError):
                closed = True  # it ended, or closed its end of the pipe and lives on
            else:
                return kind, value
        if process.ended() and (closed or not connection.poll()):
            return "gone", None
    return "late", None


def _end(process: _Fork, cpu: int) -> str:
    """Return the words for the end of a process that gave no answer."""
    code = process.code or 0
    if code >= 0:
        return f"ends the process, with exit code {code}"
    if -code == signal.SIGXCPU:
        return f"takes more than {cpu} s of CPU time"
    return f"ends the process, by {signal.Signals(-code).name}"


def _places(process: _Fork, traces: Any) -> Iterator[CodePlace]:
    """Yield where a process was, as faulthandler has written it."""
    process.kill()  # so that nobody writes any more
    written = traces.read(MOST_PLACE_BYTES)
    text = written.decode("utf-8", "replace")
    for file, line, function in PLACE.findall(text):
        yield CodePlace(file, int(line), function)


def _become_limited(
    work: Callable[[], Iterable[Any]],
    answering: Connection,
    placing: int,
    memory: int,
    cpu: int,
    parent: int,
) -> NoReturn:
    """Do the work in this process, which was forked for it, and send each item."""
    try:
        tie_to(parent)
        os.setsid()
        _forget_parent()
        faulthandler.enable(placing, all_threads=False)
        faulthandler.register(signal.SIGUSR1, placing, all_threads=False)
        faulthandler.register(signal.SIGXCPU, placing, all_threads=False, chain=True)
        unlimited = _limit_memory(memory)
        kind, value = _done(work, answering, memory, cpu, unlimited)
        resource.setrlimit(resource.RLIMIT_AS, unlimited)  # there may be no memory for the answer
        answering.send((kind, value))
    finally:
        os._exit(0)


def _done(
    work: Callable[[], Iterable[Any]],
    answering: Connection,
    memory: int,
    cpu: int,
    unlimited: tuple[int, int],
) -> tuple[str, Any]:
    """Do the work and send its items; return the answer that says how it ended."""
    try:
        _limit_cpu(cpu)
        for item in work():
            answering.send(("item", item))
            _limit_cpu(cpu)
    except ArenaError as error:
        return "refused", str(error)
    except MemoryError as error:
        resource.setrlimit(resource.RLIMIT_AS, unlimited)
        megabytes = memory // 1_000_000
        return "stopped", (f"takes more than {megabytes} MB of memory", _frames(error))
    # Whoever gives us work says what its errors mean; any other is a bug of ours.
    except Exception:  # noqa: BLE001
        return "bug", traceback.format_exc()
    except BaseException as error:  # noqa: BLE001 (SystemExit and KeyboardInterrupt)
        return "stopped", (f"raises {type(error).__name__}", _frames(error))
    return "end", None


def _frames(error: BaseException) -> list[CodePlace]:
    """Return where an error was raised, the innermost call first."""
    frames = traceback.extract_tb(error.__traceback__)
    calls: list[CodePlace] = []
    for frame in reversed(frames):
        line = frame.lineno or 0
        calls.append(CodePlace(frame.filename, line, frame.name))
    return calls


def _forget_parent() -> None:
    """Forget the handlers of the parent; read nothing from its terminal, and print to stderr."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def _limit_memory(memory: int) -> tuple[int, int]:
    """Limit the memory of this process; return its limits before."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError):  # without /proc there is the limit of time alone
        statm = Path(PROC, "self/statm").read_text()
        pages, *_ = statm.split()
        limit = int(pages) * resource.getpagesize() + memory
        for earlier in (soft, hard):
            if earlier != resource.RLIM_INFINITY:
                limit = min(limit, earlier)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    return soft, hard


def _limit_cpu(cpu: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time()) + 1 + cpu
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
