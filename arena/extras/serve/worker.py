"""A process that computes for the server, one job at a time, so that no page waits for a job.

It has a lower priority than the processes of a run. It ends with the server, also if that is
killed, because the other end of its pipe is closed then.
"""

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from multiprocessing import forkserver, resource_tracker, util
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from arena import system
from arena.errors import ArenaError
from arena.extras.serve import log
from arena.sandbox import cores, folder, procfs

Result = TypeVar("Result")

NICE = 5
"""An event on this machine goes first, but a worker still gets a quarter of a busy core."""
SHARE = 10
"""What is computed begins again after ten times as long as it took."""
JOB_S = 300.0
"""A job that takes more CPU time is ended with its process; the next job starts another."""
LONGEST_S = 3600.0
"""The time for a job that waits: a busy machine gives this process the least of all."""
LOOK_S = 0.2
"""The time between two looks how much CPU time a job has taken."""
MOST_WAITING = 40
"""The most jobs that wait: a crawler that asks for every page gets the rest refused."""
MOST_OF_NETWORK = 20
"""The most jobs that wait for readers at one address, which a class may share."""
MOST_OF_ASKER = 3
"""The most jobs that wait for one account."""
MOST_OF_PATH = 56
"""The most bytes of a folder's name: a socket's name has 107, and Python and arena add 51."""
NETWORK: ContextVar[str] = ContextVar("network", default="")
"""The address of the reader whose request is answered; the guard sets it."""


# Not a fork: the server has threads, and an event loop. Python's fork server has neither, and
# imports once what each of these processes needs, which is a second of CPU.
_MAKER = multiprocessing.get_context("forkserver")
_MAKER.set_forkserver_preload(["arena.extras.serve.jobs"])


def start_maker() -> None:
    """Start the fork server, so that it has imported the jobs before the first reader waits.

    Its socket gets a folder which the next server removes if this one is killed.
    """
    temporary = tempfile.gettempdir()
    if len(os.fsencode(temporary)) > MOST_OF_PATH:
        raise ArenaError(
            f"{temporary}: this name is too long for a socket in it; set TMPDIR to another folder"
        )
    folder.sweep()
    private, _ = folder.private()  # locked as long as this process lives
    # After Python has removed the folder that it makes in it.
    util.Finalize(None, folder.discard, [private], exitpriority=-200)
    # A process inherits which signals are blocked: while it imports, Ctrl-C in the terminal would
    # be a traceback. The tracker is started first, because its start unblocks SIGINT here.
    resource_tracker.ensure_running()
    mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    folder_before = tempfile.tempdir
    tempfile.tempdir = str(private)
    try:
        forkserver.ensure_running()
    finally:
        tempfile.tempdir = folder_before
        signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)


class BusyError(Exception):
    """Raised when so many jobs wait that another one would wait for long."""


class JobError(Exception):
    """Raised when a job failed; why is in the log, which readers do not see."""


class Worker:
    """One such process, which is started by the first job."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._waiting: Counter[str] = Counter()
        """How many jobs wait, by who asked for them."""
        self._process: Any = None
        self._pipe: Connection | None = None

    async def run(
        self,
        job: Callable[..., Result],
        *values: object,
        asker: str = "",
    ) -> Result:
        """Return the result of a function of a module for these values, computed in the process.

        The number of jobs is limited for each `asker`, or for the address if there is none, so that
        others get theirs, too.
        """
        if asker:
            most = MOST_OF_ASKER
        else:
            most = MOST_OF_NETWORK
            asker = NETWORK.get()
        if self._waiting.total() >= MOST_WAITING or self._waiting[asker] >= most:
            raise BusyError
        self._waiting[asker] += 1
        task = asyncio.ensure_future(self._in_turn(job, values, asker))
        # A job is finished even if its reader has disconnected: otherwise the next reader would
        # get this answer.
        done, value = await asyncio.shield(task)
        if not done:
            logging.error("a page could not be made: %s", value)
            raise JobError
        result: Result = value
        return result

    async def _in_turn(
        self,
        job: Callable[..., object],
        values: tuple[object, ...],
        asker: str,
    ) -> tuple[bool, Any]:
        try:
            async with self._one_at_a_time:
                return await asyncio.to_thread(self._ask, job, values)
        finally:
            self._waiting -= Counter((asker,))

    def close(self) -> None:
        """End the process."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = None
        self._pipe = None

    def _ask(self, job: Callable[..., object], values: tuple[object, ...]) -> tuple[bool, Any]:
        try:
            pipe = self._pipe or self._start()
            pipe.send((job, values))
            self._wait(pipe)
            answer: tuple[bool, Any] = pipe.recv()
        except (OSError, EOFError) as error:  # it was killed, such as for its memory
            self.close()
            return False, f"its process ended, or took too long: {error!r}"
        return answer

    def _wait(self, pipe: Connection) -> None:
        """Wait for the answer; raise TimeoutError when the job takes too long."""
        begun = time.monotonic()
        cpu_before = self._cpu_s()
        while not pipe.poll(LOOK_S):
            cpu_seconds = self._cpu_s() - cpu_before
            seconds = time.monotonic() - begun
            if cpu_seconds > JOB_S or seconds > LONGEST_S:
                raise TimeoutError

    def _cpu_s(self) -> float:
        """Return the CPU time of the process."""
        process = self._process  # `close`, in another thread, takes it away
        if process is None:
            return 0.0
        usage = procfs.see(process.pid)
        if usage is None:
            return 0.0  # it has ended, which the pipe says
        return usage.cpu

    def _start(self) -> Connection:
        ours, theirs = _MAKER.Pipe()
        process = _MAKER.Process(target=_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._process = process
        self._pipe = ours
        return ours


def _work(pipe: Connection) -> None:
    """Do jobs until the server ends."""
    # These signals reach every process of a terminal, and the server handles them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    log.begin()
    os.nice(NICE)
    last_core = max(system.cores())
    cores.stay(last_core)  # libraries then compute nothing in parallel
    gc.freeze()  # what is imported stays, so that nobody looks through it after each job
    while True:
        try:
            job, values = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, job(*values)
        except ArenaError as error:
            answer = False, str(error)
        except Exception:
            logging.exception("a page could not be made")
            answer = False, "a bug; its traceback stands above"
        try:
            pipe.send(answer)
        except OSError:
            return
        # Results refer to each other, so the tables of 1,000 bots would stay until Python looks for
        # them by chance.
        del job, values, answer
        gc.collect()
