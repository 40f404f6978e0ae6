"""Referee processes: they call a function on items, one process a lane, and hand back results or failures.

It owns the processes, and what happens when one is killed. It knows no event and no match.
"""

# Theory of operation
#
# Who forks whom. The main process makes one ProcessPoolExecutor of a single process for each lane.
# Lanes do not share a pool, because one killed process would break it and fail the items of all
# lanes. (multiprocessing.Pool was rejected: it loses the item of a killed worker silently, and
# whoever waits for it waits for ever.) A worker starts its spawner, and the spawner the bots,
# through a Launcher that is opened with the first item and kept for the next.
#
# When a worker is forked. A pool forks when its first item arrives, from the thread that submits
# it. The lane submits `os.getpid` at once and waits for it. So the fork happens in the main thread,
# before any other thread of ours holds a lock. The kernel kills the worker (PDEATHSIG) when the
# thread that forked it ends, so the main thread must fork: it lives as long as the process.
# `before_fork` closes what must not cross a fork.
#
# What is sent. The function, by its name, and one item, both pickled; back comes a result or an
# exception. They are plain values. Anything large (modules, rules) is there from before the fork.
#
# How a killed worker is noticed. The pool watches its process; when that ends, the pool breaks and
# all futures raise BrokenProcessPool. The first is the item that the worker was at: it is reported
# as failed, and the caller decides whether to try it again. The others were waiting, so they are
# queued in a new pool (`_Lane.collect`). An exception inside a worker does not end it, but it
# closes its Launcher, because nobody knows the state of a spawner after a failure.
#
# Where the system is not Linux, a worker is a new interpreter (spawn), because a fork beside
# threads crashes there. It gets its settings pickled, loads rules by itself, and opens the log by
# its name. Threads would have been simpler, but they take turns in one interpreter: one referee
# would see answers late while another plays a move.
#
# How a worker is stopped. SIGTERM closes its Launcher, which ends the spawner and all bots; after
# STOP_S comes SIGKILL. SIGINT and SIGHUP, which a terminal sends to all processes at once, are
# ignored: the main process decides.

import logging
import multiprocessing
import os
import platform
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, NoReturn, Protocol, Self, TypeAlias, TypeVar

from arena import parallel, system
from arena.event import logs
from arena.sandbox import cores
from arena.sandbox.launcher import Launcher
from arena.values import Event

STARTS = 3  # of a worker that is killed before its first item
QUEUED = 2  # items in a lane at once: one is worked on, one waits, so that the lane never waits for the main thread
AHEAD_S = 0.1  # of work that waits in a lane where items are short: the main thread may wait so long for the disk
QUEUED_MOST = 8  # because a bot that is excused then is excused in all of these (director.py)
PACED_BY = 20  # items by which a lane knows how long its items take
LOOK_S = 0.1  # between two looks at whether to stop
STOP_S = 1.0  # for a worker to leave by itself

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Lane:
    """The present work of a lane, which is a referee process."""

    name: str
    item: Any = None
    """The item that it works on; None when it has none."""
    since: float = 0.0
    """The monotonic time at which it was given the item, or was done with the one before."""
    machine: str = platform.node()
    state: str = ""
    """Why its machine plays nothing now; empty when it plays."""


@dataclass(frozen=True)
class Done(Generic[Item, Result]):
    """An item that was worked on: with its result, or with a message about how arena itself failed."""

    item: Item
    result: Result | None
    failure: str = ""
    error: BaseException | None = None
    """The exception that was raised; None when the worker itself was killed."""
    lane: str = ""


@dataclass(frozen=True)
class NotBegun:
    """The result of an item that was given out, and not begun because the run was ending."""


class LostError(Exception):
    """The machine that had an item was lost: the item was not worked on, or nobody knows how it went."""


class Lanes(AbstractContextManager["Lanes"], Protocol):
    """The lanes of a run, wherever they are. At the end of the `with` all of them are closed."""

    def map(
        self,
        function: Callable[[Launcher, Item], Result],
        items: Callable[[], Item | None],
        *,
        stopped: Callable[[], bool] = ...,
        ending: Callable[[], bool] = ...,
    ) -> Iterator[Done[Item, Result]]:
        """Call a function on items in the lanes, as `Workers.map` says."""
        ...

    def lanes(self) -> tuple[Lane, ...]:
        """Return the lanes with their present work."""
        ...


OpenLanes: TypeAlias = Callable[[Event, Path, bool | None], Lanes]
"""Opens lanes elsewhere for a run: gets its event, with the level and the bots as they are played,
the folder of its logs, and whether a lane stays on one core, None = where it pays."""


class Workers:
    """`count` referee processes, named `referee-1`, `referee-2`, ...; with `pin` each stays on one core of its own.

    With `watches` their launchers count the system calls that are refused to bots.
    """

    def __init__(
        self,
        count: int,
        *,
        pin: bool = False,
        before_fork: Callable[[], None] = lambda: None,
        watches: bool = False,
        among: tuple[int, ...] | None = None,
    ) -> None:
        """`among` are the cores that they share; None = all that this process may use."""
        self._lanes: list[_Lane] = []
        try:
            for number, share in enumerate(cores.shared_out(among or system.cores(), count), 1):
                self._lanes.append(_Lane(number, before_fork, share, pin=pin, watches=watches))
        except BaseException:  # for example when the system gives no more threads
            self.close()
            raise

    def map(
        self,
        function: Callable[[Launcher, Item], Result],
        items: Callable[[], Item | None],
        *,
        stopped: Callable[[], bool] = lambda: False,
        ending: Callable[[], bool] = lambda: False,
    ) -> Iterator[Done[Item, Result]]:
        """Call `function(launcher, item)` on items in the lanes; yield each item when it is done, in no fixed order.

        `items` is called for the next item whenever a lane has room. It returns None when there is
        none for now. The iteration ends when nothing is under way either, or when `stopped`, which
        drops everything. When `ending`, items that were taken and not begun are yielded as
        NotBegun. An item that fails is not tried again.
        """
        del ending  # all items that were taken are in a lane's queue, and know the end themselves
        while not stopped():
            for lane in self._lanes:
                while lane.has_room() and (item := items()) is not None:
                    lane.give(function, item)
            running = [future for lane in self._lanes for future in lane.given]
            if not running:
                return
            if wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED).done:
                for lane in self._lanes:
                    yield from lane.collect(function)

    def lanes(self) -> tuple[Lane, ...]:
        """Return what each lane is doing."""
        return tuple(lane.state() for lane in self._lanes)

    def close(self) -> None:
        """End every lane; a worker in the middle of a match is told to leave, and killed when it does not."""
        for lane in self._lanes:
            lane.dismiss()
        deadline = time.monotonic() + STOP_S
        for lane in self._lanes:
            lane.end(deadline)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Lane:
    """One referee process, and the items that it was given, in order."""

    def __init__(
        self,
        number: int,
        before_fork: Callable[[], None],
        share: tuple[int, ...],
        *,
        pin: bool,
        watches: bool,
    ) -> None:
        self._name = f"referee-{number}"
        self._before_fork = before_fork
        self._settings = (self._name, os.getpid(), share, pin, watches)
        self.given: dict[Future[Any], Any] = {}
        self._busy_since = 0.0
        self._pace = AHEAD_S
        """The seconds that an item took, in the mean of the last ones."""
        self._start()

    def state(self) -> Lane:
        """Return what it is doing: it works on the oldest of its items."""
        for item in self.given.values():
            return Lane(self._name, item, self._busy_since)
        return Lane(self._name)

    def _start(self) -> None:
        """Fork the worker; BrokenProcessPool when it is killed at once, several times."""
        for starts_left in reversed(range(STARTS)):
            self._before_fork()
            context = multiprocessing.get_context(system.START_METHOD)
            self._pool = ProcessPoolExecutor(
                1, context, _become_referee, (*self._settings, logs.file_of_workers())
            )
            try:
                parallel.result_of(
                    self._pool, self._pool.submit(os.getpid)
                )  # forks now, in this thread
            except BrokenProcessPool:
                self._pool.shutdown(wait=True)
                if not starts_left:
                    raise
            except BaseException:
                parallel.close(self._pool)
                raise
            else:
                return

    def has_room(self) -> bool:
        """Return whether to give it another item."""
        given = len(self.given)
        return given < QUEUED or (given < QUEUED_MOST and (given - 1) * self._pace < AHEAD_S)

    def give(self, function: Callable[[Launcher, Any], Any], item: object) -> None:
        """Queue an item."""
        if not self.given:
            self._busy_since = time.monotonic()
        try:
            self.given[self._pool.submit(_in_lane, function, item)] = item
        except (
            BrokenProcessPool
        ) as error:  # killed since the last look: `collect` starts another worker
            failed: Future[Any] = Future()
            failed.set_exception(error)
            self.given[failed] = item

    def collect(self, function: Callable[[Launcher, Any], Any]) -> Iterator[Done[Any, Any]]:
        """Yield the items that are done; when the worker was killed, only the item that it was at has failed."""
        for future in [future for future in self.given if future.done()]:
            if future not in self.given:  # it was queued again, under another future
                continue
            item, before, self._busy_since = (
                self.given.pop(future),
                self._busy_since,
                time.monotonic(),
            )
            self._pace += (self._busy_since - before - self._pace) / PACED_BY
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                logging.warning("%s was killed; a new one takes its place", self._name)
                waiting = list(self.given.values())
                self.given.clear()
                self._pool.shutdown(wait=True)
                self._start()
                for each in waiting:
                    self.give(function, each)
                yield Done(item, None, f"{self._name} was killed", lane=self._name)
            elif error is not None:
                yield Done(
                    item, None, "".join(traceback.format_exception(error)), error, self._name
                )
            else:
                yield Done(item, future.result(), lane=self._name)

    def dismiss(self) -> None:
        """Tell the worker to leave."""
        for process in self._processes():
            process.terminate()

    def end(self, deadline: float) -> None:
        """Wait for the worker until the deadline (monotonic), then kill it."""
        for process in self._processes():
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()
        parallel.close(self._pool)

    def _processes(self) -> list[Any]:
        return list(
            (self._pool._processes or {}).values()
        )  # the pool has no public way to signal them


# In a worker, which is one process in one lane:
_launcher: Launcher | None = None
"""The launcher that its matches share."""
_open_launcher: Callable[[], Launcher] = Launcher
"""Opens another one after a failure, for the same cores."""


def _become_referee(
    name: str, parent: int, share: tuple[int, ...], pin: bool, watches: bool, log: Path | None
) -> None:
    """Set up a new worker: a name for process lists and logs, its signals and cores, and its tie to the parent."""
    global _open_launcher
    _open_launcher = partial(Launcher, share, watches=watches)
    if pin:
        cores.stay(share[0])  # and so will all processes that it starts
    multiprocessing.current_process().name = name
    system.name_process(name)
    signal.signal(signal.SIGTERM, _leave)
    for number in (
        signal.SIGINT,
        signal.SIGHUP,
    ):  # bots that it starts itself would inherit SIG_IGN
        signal.signal(number, signal.SIG_IGN if system.LINUX else lambda *_: None)
    parallel.tie_to(parent)
    logs.in_worker(log)


def _in_lane(function: Callable[[Launcher, Any], Any], item: object) -> object:
    """Call the function with this worker's launcher; after a failure the next item gets a new one."""
    global _launcher
    launcher = _launcher = _launcher or _open_launcher()
    try:
        return function(launcher, item)
    except BaseException:
        _launcher = None
        launcher.close()
        raise


def _leave(*_: object) -> NoReturn:
    try:
        if _launcher is not None:
            _launcher.close()
    finally:
        os._exit(0)
