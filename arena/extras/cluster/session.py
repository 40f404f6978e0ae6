"""The side of a dask worker: the session of one driver with this machine.

dask runs these functions in the worker.

A session is a host process (`host.py`) with its folder. A worker has one session at a time, because
two would take each other's cores. The driver renews it every few seconds; without that it ends by
itself, so a driver that was killed leaves nothing behind.
"""

import asyncio
import contextlib
import os
import platform
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from arena import rulefile, whole_files
from arena.errors import ArenaError
from arena.event.workers import Lane
from arena.extras.cluster import wire
from arena.extras.cluster.host import ItemOutcome, Report
from arena.identity import digest_of, file_digest
from arena.values import Event
from arena.version import __version__

LEASE_S = 8.0  # without a beat of the driver; the host then has 2 s to end its bots
POLL_S = 0.5  # between two looks whether the lease is over
STOP_S = 1.5  # for the host to end its lanes, which have 1 s
ATTRIBUTE = "arena_session"  # of a dask worker: its session
NAME = "arena_name"  # of a dask worker: the name that `arena worker --name` gave it

ParcelResult = tuple[list[ItemOutcome], str]
"""The outcomes of a parcel in order, and the lines that were logged meanwhile."""


class SessionLostError(Exception):
    """The session has ended, and with it all that it played."""


@dataclass(frozen=True)
class Facts:
    """What a worker says of itself before it gets anything."""

    python: str
    arena: str
    code: str
    """A digest of arena's files there."""
    machine: str
    """The name of the machine, or the name that `arena worker --name` gave to the worker."""
    lanes: int


class Session:
    """A host process, and the parcels that it is at."""

    def __init__(self, key: str, folder: Path) -> None:
        self.key = key
        self.folder = _private_folder(folder)
        ours, theirs = socket.socketpair()
        with theirs:
            command = [
                sys.executable,
                "-P",
                "-m",
                "arena.extras.cluster.host",
                str(theirs.fileno()),
                str(os.getpid()),
                str(folder),
            ]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._connection = Connection(ours.detach())
        self._sending = threading.Lock()
        self._changing = threading.Lock()
        """Held for a moment, never while something is sent: `end` must not wait for a host that
        does not read."""
        self._renewed = time.monotonic()
        self._ready: Future[Report] = Future()
        self._parcels: dict[int, Future[ParcelResult]] = {}
        self._lanes: list[Lane] = []
        self.lost = ""
        """The reason why the session has ended; empty while it lasts."""
        reading = threading.Thread(
            target=self._read,
            name="arena-session",
            daemon=True,
        )
        reading.start()

    def renew(self) -> tuple[Report | None, list[Lane]]:
        """Let the session last for another LEASE_S; ArenaError where the event cannot be played.

        Return what the host said when it was ready, None before; and its lanes at work, as `Host`
        reports them.
        """
        self._renewed = time.monotonic()
        report = None
        if self._ready.done():
            report = self._ready.result()
        return report, self._lanes

    def store(self, digest: str, data: bytes) -> None:
        """Keep a content."""
        self.renew()
        wire.unpack(self.folder.parent / "content", digest, data)

    def prepare(self, event: Event, lanes: int, pin: bool | None) -> None:
        """Have the host prepare for an event, which may take long: `renew` returns its report."""
        self._connection.send((event, lanes, pin))

    def play(self, number: int, parcel: bytes) -> ParcelResult:
        """Have the host play a parcel, and wait for its outcomes.

        Raise SessionLostError when the session ends before.
        """
        future: Future[ParcelResult] = Future()
        with self._changing:
            if self.lost:
                raise SessionLostError(self.lost)
            self._parcels[number] = future
        try:
            with self._sending:
                self._connection.send((number, parcel))
        except OSError as error:
            raise SessionLostError(str(error)) from error
        return future.result()

    def end(self, reason: str) -> None:
        """End the host with all that it started, within STOP_S and a little.

        Fail the parcels that it was at.
        """
        with self._changing:
            if self.lost:
                return
            self.lost = reason
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the kernel then kills its lanes
            self._process.wait()
        waiting: list[Future[Any]] = [self._ready, *self._parcels.values()]
        for future in waiting:
            with contextlib.suppress(InvalidStateError):  # it was done in time
                future.set_exception(SessionLostError(reason))
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> None:
        reason = "the host process of its lanes ended"
        try:
            while not self.lost:
                if time.monotonic() - self._renewed > LEASE_S:
                    reason = "its driver was not heard of for too long"
                    break
                if self._connection.poll(POLL_S):
                    match self._connection.recv():
                        case Report() as report:
                            self._ready.set_result(report)
                        case ArenaError() as refusal:
                            self._ready.set_exception(refusal)
                        case list(lanes):
                            self._lanes = lanes
                        case number, outcomes, logged:
                            self._parcels.pop(number).set_result((outcomes, logged))
        except (EOFError, OSError):
            pass
        except Exception as error:  # noqa: BLE001
            # Nobody else would end the session, and its parcels would wait for ever.
            reason = (
                f"what the host process of its lanes said cannot be read: {type(error).__name__}: "
                f"{error}"
            )
        self.end(reason)


def facts(dask_worker: Any = None) -> Facts:
    """Return what this process says of itself.

    A worker's lanes are its resource `lanes`; without it they are its threads.
    """
    lanes = 0
    if dask_worker:
        state = dask_worker.state
        lanes = int(state.total_resources.get("lanes", state.nthreads))
    version = sys.version_info
    return Facts(
        python=f"{platform.python_implementation()} {version.major}.{version.minor}",
        arena=__version__,
        code=code_digest(),
        machine=getattr(dask_worker, NAME, "") or socket.gethostname(),
        lanes=lanes,
    )


@cache
def code_digest() -> str:
    """Return a digest of the files of arena and of the rules that come with it, in this process."""
    arena = _files_in(Path(rulefile.__file__).parent)
    rules = _files_in(rulefile.shipped())
    return digest_of(arena, rules, length=16)


def _files_in(folder: Path) -> list[tuple[str, str]]:
    """Return the name and the digest of each file of code in a folder.

    The copy of rules that ships in it is left out.
    """
    files = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.suffix not in {".py", ".toml"} or "_shipped" in name.parts:
            continue
        digest = file_digest(path)
        files.append((name.as_posix(), digest))
    return files


async def open_session(
    key: str,
    digests: Sequence[str],
    dask_worker: Any,
) -> list[str] | None:
    """Begin a session.

    Return the digests of the contents that are missing here; None when another driver plays here.

    A coroutine runs in the thread of the event loop, which lives as long as the worker: the kernel
    would kill the host when the thread that started it ends, and threads of tasks do end.
    """
    # In a loop, because another driver may open a session while this one waits for the end of its
    # old session.
    while True:
        session = getattr(dask_worker, ATTRIBUTE, None)
        if session is None or session.lost:
            break
        if session.key != key:
            return None
        await asyncio.to_thread(session.end, "its driver began again")
    folder = _private_folder(Path(dask_worker.local_directory) / "arena")
    new = Session(key, folder / f"session-{key}-{time.monotonic_ns()}")
    setattr(dask_worker, ATTRIBUTE, new)
    contents = folder / "content"
    return [digest for digest in digests if not (contents / digest).exists()]


async def in_session(
    key: str,
    method: Callable[..., Any],
    *arguments: Any,
    dask_worker: Any,
) -> Any:
    """Call a method of a session.

    Raise SessionLostError when it is over. Threads that wait do not hold up the worker.
    """
    session = _session(key, dask_worker)
    return await asyncio.to_thread(method, session, *arguments)


async def close_any(dask_worker: Any) -> None:
    """End the session of a worker that leaves, if it has any."""
    session = getattr(dask_worker, ATTRIBUTE, None)
    if session is not None:
        await asyncio.to_thread(session.end, "its worker left the cluster")


def play(key: str, number: int, parcel: bytes) -> ParcelResult:
    """Play a parcel: a task of dask's, in one of its threads."""
    # Slow to import, and dask has imported it where this is called.
    from distributed import get_worker

    return _session(key, get_worker()).play(number, parcel)


def _session(key: str, dask_worker: Any) -> Session:
    session: Session | None = getattr(dask_worker, ATTRIBUTE, None)
    if session is None or session.key != key:
        raise SessionLostError("the session is not there")
    if session.lost:
        raise SessionLostError(session.lost)
    return session


def _private_folder(path: Path) -> Path:
    """Make a folder that its owner alone can open, and return it."""
    whole_files.make_folder(path)
    path.chmod(0o700)
    return path
