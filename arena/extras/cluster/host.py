"""The process on a machine that holds the lanes of one event.

It is started as `python -m arena.extras.cluster.host DESCRIPTOR PARENT`.

A dask worker starts it and speaks with it over a socket (`session.py`). Its lanes are those of
workers.py.
"""

# Theory of operation
#
# Why a process of its own. The kernel kills a lane when the *thread* that forked it ends
# (PDEATHSIG), and dask runs tasks in threads that come and go; a fork beside other threads may
# inherit a held lock; and a worker that a nanny started is daemonic, so that multiprocessing lets
# it have no children. This process has one thread, is started by subprocess, which knows no
# daemons, and lives as long as the session.
#
# Its end. It leaves in order when the socket is closed or at SIGTERM: then `Workers.close` ends the
# lanes and their bots. When the dask worker is killed, the kernel kills this process
# (`parallel.tie_to`), and so its lanes.
#
# Speed is measured anew for each session, also when a run goes on with the same worker. A worker
# may live for weeks; in between its machine gets other work, other limits or less power, and an old
# figure would judge it wrongly. A measurement takes 0.2 s of each lane (7 samples of 24 ms), on all
# machines at the same time.
#
# One thing at a time. `Workers.map` asks for the next item whenever a lane has room. That is when
# the socket is read. Results go back in the parcels in which the work came, each with the lines
# that the log got meanwhile.

import pickle
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from arena import parallel, system
from arena.errors import ArenaError, MachineError
from arena.event import builds
from arena.event.director import Work
from arena.event.logs import Log
from arena.event.workers import Done, Workers
from arena.extras.cluster import calibration, wire
from arena.extras.cluster.calibration import Sample, Speed
from arena.sandbox import choice, cores, levels, toolchain
from arena.sandbox.exposure import refuse_exposed
from arena.sandbox.launcher import Launcher
from arena.values import Event

LONGEST_LOG = 200_000  # bytes of the log that go back with one parcel
REPORT_S = 0.5  # between two reports of what the lanes do, which `arena status` shows


@dataclass(frozen=True)
class Report:
    """What a machine offers; the driver decides what it gets."""

    lanes: int
    """How many matches it plays at once."""
    speed: Speed


ItemOutcome = Done[None, tuple[bytes, float]]
"""How one item of a parcel went: a packed result and its seconds, or arena's failure."""


@dataclass(frozen=True)
class _Order:
    parcel: int
    index: int
    function: Callable[[Launcher, Any], object]
    item: Work


class Host:
    """The lanes of one event on this machine, and the socket to the dask worker."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._ended = False
        self._queue: deque[_Order] = deque()
        self._parcels: dict[int, list[ItemOutcome | None]] = {}
        """The outcomes of each parcel that is played, by index.

        An item that is not done has None.
        """
        self._next_report = 0.0

    def serve(self) -> None:
        """Make ready, then play parcels until the driver or the dask worker ends it."""
        sent, lanes, pin = self._connection.recv()
        try:
            event = _made_ready(sent, self._folder)
            self._event = event
            lanes = min(lanes, cores.matches_at_once(event, lanes))
            claim = cores.claim(lanes)
            number_of_cores = len(system.cores())
            pinned = claim is not None and cores.should_pin(pin, event, lanes, number_of_cores)
            library = calibration.compiled(self._folder)
            log = Log(self._folder / "logs")
        except (ArenaError, OSError) as error:
            self._send(ArenaError(str(error)))
            self._receive(wait=True)  # until the driver has heard it, and ends the session
            return
        among = None
        if pinned and claim is not None:
            among = tuple(claim)
        self._lines = (self._folder / "logs" / "arena.log").open("rb")
        with (
            closing(log),
            self._lines,
            Workers(
                lanes,
                pin=pinned,
                before_fork=log.renew,
                among=among,
            ) as workers,
        ):
            look = partial(self._look, workers)
            try:
                speed = _calibrated(workers, lanes, library, look)
                self._send(Report(lanes, speed))
            except MachineError as error:
                self._send(error)
            while not self._ended:
                self._receive(wait=True)
                for done in workers.map(_in_lane, self._next, stopped=look):
                    outcome = Done(
                        None,
                        done.result,
                        done.failure,
                        _portable(done.error),
                        done.lane,
                    )
                    self._answer(done.item, outcome)
                self._send([])

    def _receive(self, *, wait: bool) -> None:
        """Read the parcels that have arrived, at least one with `wait`.

        Take note when the socket is closed.
        """
        try:
            while not self._ended and (wait or self._connection.poll()):
                number, parcel = self._connection.recv()
                function, items = wire.unpacked(parcel, self._event)
                self._parcels[number] = [None] * len(items)
                for index, item in enumerate(items):
                    order = _Order(number, index, function, item)
                    self._queue.append(order)
                wait = False
        except (EOFError, OSError):
            self._ended = True

    def _send(self, message: object) -> None:
        try:
            self._connection.send(message)
        except OSError:
            self._ended = True

    def _look(self, workers: Workers) -> bool:
        """Report what the lanes do, if that is due; return whether the session has ended."""
        now = time.monotonic()
        if now >= self._next_report:
            self._next_report = now + REPORT_S
            lanes = []
            for lane in workers.lanes():
                order = lane.item
                if isinstance(order, _Order):
                    # Clocks of two machines differ, so `since` is here how long the lane has worked
                    # on the item.
                    item = (order.parcel, order.index)
                    lanes.append(replace(lane, item=item, since=now - lane.since))
            self._send(lanes)
        return self._ended

    def _next(self) -> _Order | None:
        if not self._queue:
            self._receive(wait=False)
        if not self._queue:
            return None
        return self._queue.popleft()

    def _answer(self, order: _Order, outcome: ItemOutcome) -> None:
        """Keep an outcome; send its parcel when all of it is done."""
        parcel = self._parcels[order.parcel]
        parcel[order.index] = outcome
        if not all(parcel):
            return
        del self._parcels[order.parcel]
        logged = self._lines.read(LONGEST_LOG)
        lines = logged.decode("utf-8", "replace")
        self._send((order.parcel, parcel, lines))


def _portable(error: BaseException | None) -> BaseException | None:
    """Return an exception if every process can unpickle it.

    Such are arena's own, and those of Python with plain values only.

    The dask worker has not imported the rules, so it knows neither their exceptions nor what they
    put into one of Python's, such as a state in a KeyError. The failure has the traceback as text
    in any case.
    """
    module = type(error).__module__
    if error is None or module.startswith("arena."):
        return error
    if module != "builtins" or vars(error):
        return None
    for value in error.args:
        if not isinstance(value, str | bytes | int | float | None):
            return None
    return error


def _made_ready(event: Event, folder: Path) -> Event:
    """Return the event with its files on this machine, built.

    Raise ArenaError when it cannot be played here.
    """
    level = event.conditions.sandbox
    cause = choice.failure(level)
    if cause is not None:
        raise ArenaError(
            f"its self-test of the level {level!r} failed: {cause}: {levels.TABLE[level].needs}"
        )
    for module in event.conditions.preload:
        if find_spec(module.split(".")[0]) is None:
            raise ArenaError(
                f"its environment has no module {module!r}, which `preload` names; install it there"
            )
    event = wire.located(event, folder.parent / "content")
    bots = builds.built(event.bots, folder.parent / "builds", level)
    event = replace(event, bots=bots)
    refuse_exposed((folder.parent,), event.bots, level)
    for bot in event.bots:
        program = toolchain.resolved(bot.command)[0][0]
        first_word = bot.command[0]
        is_own = "/" in first_word and not first_word.startswith("/")
        if not is_own and shutil.which(program) is None:
            raise ArenaError(
                f"it has no program {program!r}, which {bot.name} needs; install it there"
            )
    return event


def _calibrated(
    workers: Workers,
    lanes: int,
    library: Path | None,
    stopped: Callable[[], bool],
) -> Speed:
    """Return the speed of this machine with all its lanes busy; MachineError when they cannot work.

    It is that of the quietest round, and the first round that is quiet enough is the last.
    """
    warm_ups = lanes * calibration.WARM_UPS
    samples_that_count = lanes * calibration.SAMPLES
    speeds: list[Speed] = []
    for _ in range(calibration.ROUNDS):
        items = iter([(library,)] * (warm_ups + samples_that_count))
        next_item = partial(next, items, None)
        samples: list[Sample] = []
        for done in workers.map(_sample, next_item, stopped=stopped):
            if done.result is None:
                raise MachineError(f"its lanes cannot work: {done.failure}")
            samples.append(done.result)
        if not samples:  # the session was ended meanwhile
            sys.exit(0)
        speed = calibration.speed_of(samples[warm_ups:])
        speeds.append(speed)
        if speed.spread <= calibration.NOISIEST:
            break
    return min(speeds, key=lambda speed: speed.spread)


def _sample(_launcher: Launcher, library: tuple[Path | None]) -> Sample:
    return calibration.sample(library[0])


def _in_lane(launcher: Launcher, order: _Order) -> tuple[bytes, float]:
    """Play one item; return its packed result, and how many seconds it took."""
    begun = time.monotonic()
    result = order.function(launcher, order.item)
    packed = pickle.dumps(result, wire.PROTOCOL)
    seconds = time.monotonic() - begun
    return packed, seconds


def main() -> None:
    """Serve the socket of this descriptor; end with the process that started this one."""
    descriptor = int(sys.argv[1])
    parent = int(sys.argv[2])
    folder = Path(sys.argv[3])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    parallel.tie_to(parent)
    # Parcels call its function, and lanes find it from before their fork.
    import arena.event.lane  # noqa: F401

    host = Host(Connection(descriptor), folder)
    host.serve()


if __name__ == "__main__":
    # Under its own name, because what it sends is unpickled by a process that imported it so.
    from arena.extras.cluster import host

    host.main()
