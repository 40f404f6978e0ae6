"""Referee processes: one process a lane, which calls a function on items.

This module owns the processes, and decides what happens when one is killed. It returns results and
failures, and knows no event and no match.
"""

# Theory of operation
#
# Who forks whom. The main process makes one ProcessPoolExecutor of a single process for each lane.
# Lanes do not share a pool, because one killed process would break it and fail the items of all
# lanes. (multiprocessing.Pool was rejected: it loses the item of a killed worker silently, and the
# caller waits for it for ever.) A worker starts its spawner, and the spawner starts the bots,
# through a Launcher that is opened with the first item and kept for the next items.
#
# When a worker is forked. A pool forks when its first item arrives, from the thread that submits
# it. The lane submits `os.getpid` at once and waits for it. So the fork happens in the main thread,
# before any other thread of ours holds a lock. The kernel kills the worker (PDEATHSIG) when the
# thread that forked it ends, so the main thread must fork: it lives as long as the process.
# `before_fork` closes what must not cross a fork.
#
# What is sent. The function, by its name, and one item, both pickled; the worker sends back a
# result or an exception. They are plain values. Anything large (modules, rules) is in the worker
# from before the fork.
#
# How a killed worker is noticed. The pool watches its process; when the process ends, the pool
# breaks and all futures raise BrokenProcessPool. The first future is that of the item on which the
# worker worked: it is reported as failed, and the caller decides whether to try it again. The
# others were waiting, so they are queued in a new pool (`_Lane.collect`). An exception inside a
# worker does not end it, but the worker closes its Launcher, because the state of a spawner is
# unknown after a failure.
#
# Where the system is not Linux, a worker is a new interpreter (spawn), because a fork beside
# threads crashes there. It gets its settings pickled, loads rules by itself, and opens the log by
# its name. Threads would have been simpler, but they take turns in one interpreter: one referee
# would see answers late while another plays a move.
#
# How a worker is stopped. SIGTERM closes its Launcher, which ends the spawner and all bots; while
# it opens or closes one, SIGTERM waits. SIGKILL follows after STOP_S. SIGINT and SIGHUP, which a
# terminal sends to all processes at once, are ignored: the main process decides.

import contextlib
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

STARTS = 3
"""The starts of a worker that is killed before its first item."""
QUEUED = 2
"""The items in a lane at once: the worker works on one item, and one waits, so that the lane does
not wait for the main thread."""
AHEAD_S = 0.1
"""The seconds of work that wait in a lane whose items are short: the main thread may wait for the
disk for this time."""
QUEUED_MOST = 8
"""The most items in a lane: a bot that is excused at that time is excused in all of them
(director.py)."""
PACED_BY = 20
"""The number of items from which a lane knows how long its items take."""
LOOK_S = 0.1
"""The time between two looks at whether to stop."""
STOP_S = 1.0
"""The time for a worker to leave by itself."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Lane:
    """The present work of a lane, which is a referee process."""

    name: str
    item: Any = None
    """The item that it works on; None when it has none."""
    since: float = 0.0
    """The monotonic time at which it got the item, or finished the item before."""
    machine: str = platform.node()
    state: str = ""
    """Why its machine plays nothing now; empty when it plays."""


@dataclass(frozen=True)
class Done(Generic[Item, Result]):
    """An item with its result, or with a message about how arena itself failed."""

    item: Item
    result: Result | None
    failure: str = ""
    error: BaseException | None = None
    """The exception that was raised; None when the worker itself was killed."""
    lane: str = ""


@dataclass(frozen=True)
class NotBegun:
    """The result of an item that a lane got, but did not begin, because the run was ending."""


class LostError(Exception):
    """The machine that had an item was lost, before the result of the item was known."""


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
"""Opens lanes elsewhere for a run. The arguments are its event, with the level and the bots as they
are played, the folder of its logs, and whether a lane stays on one core, None = where it pays."""


class Workers:
    """The referee processes of this machine, named `referee-1`, `referee-2`, ..."""

    def __init__(
        self,
        count: int,
        *,
        pin: bool = False,
        before_fork: Callable[[], None] = lambda: None,
        watches: bool = False,
        among: tuple[int, ...] | None = None,
    ) -> None:
        """Start `count` processes.

        With `pin` each of them stays on a core that no other uses. `among` are the cores that they
        share; None = all that this process may use. With `watches` their launchers count the system
        calls that are refused to bots. `before_fork` closes what must not cross a fork.
        """
        self._lanes: list[_Lane] = []
        shares = cores.shared_out(among or system.cores(), count)
        try:
            for number, share in enumerate(shares, 1):
                lane = _Lane(
                    number,
                    before_fork,
                    share,
                    pin=pin,
                    watches=watches,
                )
                self._lanes.append(lane)
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
        """Call `function(launcher, item)` on items in the lanes; yield each item when it is done.

        `items` is called for the next item whenever a lane has room. It returns None when there is
        no item now. The iteration ends when no item is under way either, or when `stopped`, which
        drops everything. When `ending`, items that no lane has begun are yielded as NotBegun. Items
        come in no fixed order. An item that fails is not tried again.
        """
        del ending  # each item is in the queue of a lane, and knows the end of the run itself
        while not stopped():
            running: list[Future[Any]] = []
            for lane in self._lanes:
                while lane.has_room():
                    item = items()
                    if item is None:
                        break
                    lane.give(function, item)
                running += lane.futures
            if not running:
                return
            ended = wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED)
            if ended.done:
                for lane in self._lanes:
                    yield from lane.collect(function)

    def lanes(self) -> tuple[Lane, ...]:
        """Return what each lane is doing."""
        return tuple(lane.state() for lane in self._lanes)

    def close(self) -> None:
        """End every lane; a worker that does not leave in time is killed."""
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
        self._items: dict[Future[Any], Any] = {}
        """Its items by their futures, the oldest first."""
        self._busy_since = 0.0
        self._pace = AHEAD_S
        """The mean of the seconds that the last items took."""
        self._start()

    @property
    def futures(self) -> list[Future[Any]]:
        """The futures of its items."""
        return list(self._items)

    def state(self) -> Lane:
        """Return its present work, which is the oldest of its items."""
        for item in self._items.values():
            return Lane(self._name, item, self._busy_since)
        return Lane(self._name)

    def _start(self) -> None:
        """Fork the worker; BrokenProcessPool when it is killed at once, several times."""
        for attempt in range(1, STARTS + 1):
            self._before_fork()
            context = multiprocessing.get_context(system.START_METHOD)
            settings = (*self._settings, logs.file_of_workers())
            self._pool = ProcessPoolExecutor(1, context, _become_referee, settings)
            try:
                # The pool forks now, in this thread.
                parallel.result_of(self._pool, self._pool.submit(os.getpid))
            except BrokenProcessPool:
                self._pool.shutdown(wait=True)
                if attempt == STARTS:
                    raise
            except BaseException:
                parallel.close(self._pool)
                raise
            else:
                return

    def has_room(self) -> bool:
        """Return whether to give it another item."""
        items = len(self._items)
        if items < QUEUED:
            return True
        return items < QUEUED_MOST and (items - 1) * self._pace < AHEAD_S

    def give(self, function: Callable[[Launcher, Any], Any], item: object) -> None:
        """Queue an item."""
        if not self._items:
            self._busy_since = time.monotonic()
        try:
            future = self._pool.submit(_in_lane, function, item)
        except BrokenProcessPool as error:
            # It was killed since the last look: `collect` starts another worker.
            future = Future()
            future.set_exception(error)
        self._items[future] = item

    def collect(self, function: Callable[[Launcher, Any], Any]) -> Iterator[Done[Any, Any]]:
        """Yield the items that are done.

        When the worker was killed, only the item on which it worked has failed.
        """
        for future in self.futures:
            if not future.done() or future not in self._items:
                continue  # a future that is gone was queued again, under another future
            item = self._items.pop(future)
            now = time.monotonic()
            duration = now - self._busy_since
            self._pace += (duration - self._pace) / PACED_BY
            self._busy_since = now

            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                logging.warning("%s was killed; a new one takes its place", self._name)
                waiting = list(self._items.values())
                self._items.clear()
                self._pool.shutdown(wait=True)
                self._start()
                for next_item in waiting:
                    self.give(function, next_item)
                yield Done(
                    item=item,
                    result=None,
                    failure=f"{self._name} was killed",
                    lane=self._name,
                )
            elif error is not None:
                yield Done(
                    item=item,
                    result=None,
                    failure="".join(traceback.format_exception(error)),
                    error=error,
                    lane=self._name,
                )
            else:
                yield Done(item, future.result(), lane=self._name)

    def dismiss(self) -> None:
        """Ask the worker to leave."""
        for process in self._processes():
            process.terminate()

    def end(self, deadline: float) -> None:
        """Wait for the worker until the deadline (monotonic), then kill it."""
        for process in self._processes():
            remaining = deadline - time.monotonic()
            process.join(max(0.0, remaining))
            process.kill()
        parallel.close(self._pool)

    def _processes(self) -> list[Any]:
        # The pool has no public way to send them a signal.
        by_pid = self._pool._processes or {}
        return list(by_pid.values())


# In a worker, which is one process in one lane:
_launcher: Launcher | None = None
"""The launcher that its matches share."""
_open_launcher: Callable[[], Launcher] = Launcher
"""Opens another launcher after a failure, for the same cores."""


def _become_referee(
    name: str,
    parent: int,
    share: tuple[int, ...],
    pin: bool,
    watches: bool,
    log: Path | None,
) -> None:
    """Set up a new worker.

    It gets a name for process lists and logs, its signals, its cores, and its tie to the parent.
    """
    global _open_launcher
    _open_launcher = partial(Launcher, share, watches=watches)
    if pin:
        cores.stay(share[0])  # all processes that it starts stay there, too
    multiprocessing.current_process().name = name
    system.name_process(name)
    signal.signal(signal.SIGTERM, _leave)
    # Where the system is not Linux, the worker starts bots itself, and they would inherit SIG_IGN.
    for number in (signal.SIGINT, signal.SIGHUP):
        if system.LINUX:
            signal.signal(number, signal.SIG_IGN)
        else:
            signal.signal(number, lambda *_: None)
    parallel.tie_to(parent)
    logs.in_worker(log)


def _in_lane(function: Callable[[Launcher, Any], Any], item: object) -> object:
    """Call the function with this worker's launcher; a failure closes it."""
    global _launcher
    if _launcher is None:
        with _undisturbed():
            _launcher = _open_launcher()
    launcher = _launcher
    try:
        return function(launcher, item)
    except BaseException:
        with _undisturbed():
            _launcher = None
            launcher.close()
        raise


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off a SIGTERM: a launcher that is half opened or half closed would leave its folder."""
    came: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, _leave)
        if came:
            _leave()


def _leave(*_: object) -> NoReturn:
    """Close the launcher of this worker, and end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        if _launcher is not None:
            _launcher.close()
    finally:
        os._exit(0)
