"""Where matches are played: one referee process a lane, forked from here, fed from the main thread.

It owns the processes and what happens when one is killed. It knows no event: it calls a function on items, and says of
each item what came back or how it failed. A lane is a single-process pool, so a killed worker costs its own lane only.
"""

import ctypes
import logging
import multiprocessing
import os
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, Self, TypeVar

from arena import cores, logs
from arena.sandbox.door import Door

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
BIRTHS = 3  # times that a worker is started anew when it is killed at once
DEPTH = 2  # items given to a lane at once, so that it never waits for the main thread
LOOK = 0.1  # seconds between two looks at whether to stop
PATIENCE = 1.0  # seconds that a worker gets to leave by itself when it is stopped

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Done(Generic[Item, Result]):
    """What became of an item: a result, or the words for how arena itself failed."""

    item: Item
    result: Result | None
    failure: str = ""


class Workers:
    """`count` referee processes, named `referee-1`, `referee-2`, ...; with `pin` each stays on one core of its own."""

    def __init__(
        self,
        count: int,
        *,
        pin: bool = False,
        before_fork: Callable[[], None] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._before_fork = before_fork
        self._stopped = stopped
        shares = cores.shared_out(cores.available(), count)
        self._lanes = [_Lane(number, before_fork, share, pin) for number, share in enumerate(shares, 1)]

    def map(
        self, function: Callable[[Door, Item], Result], items: Callable[[], Item | None]
    ) -> Iterator[Done[Item, Result]]:
        """Call `function(door, item)` on items in the lanes; yields each as it is done, in no fixed order.

        `items` is asked for the next item whenever a lane has room; None = none for now, and over when nothing is under
        way. An item that fails is told as such and not tried again. Ends early when `stopped`.
        """
        while not self._stopped():
            for lane in self._lanes:
                while len(lane.given) < DEPTH and (item := items()) is not None:
                    lane.give(function, item)
            running = [future for lane in self._lanes for future in lane.given]
            if not running:
                return
            if wait(running, timeout=LOOK, return_when=FIRST_COMPLETED).done:
                for lane in self._lanes:
                    yield from lane.collect(function)

    def close(self) -> None:
        """End every lane; a worker in the middle of a match is told to leave, and killed when it does not."""
        for lane in self._lanes:
            lane.dismiss()
        until = time.monotonic() + PATIENCE
        for lane in self._lanes:
            lane.end(until)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Lane:
    """One referee process and what it was given, first things first."""

    def __init__(self, number: int, before_fork: Callable[[], None], share: tuple[int, ...], pin: bool) -> None:
        self._share = share
        self._pin = pin
        self._name = f"referee-{number}"
        self._before_fork = before_fork
        self.given: dict[Future[Any], Any] = {}
        self._open()

    def _open(self) -> None:
        for left in reversed(range(BIRTHS)):
            self._before_fork()
            context = multiprocessing.get_context("fork")
            about = (self._name, os.getpid(), self._share, self._pin)
            self._pool = ProcessPoolExecutor(1, context, _become_referee, about)
            try:
                self._pool.submit(os.getpid).result()  # forked here and now: PDEATHSIG follows the thread that forks
            except BrokenProcessPool:  # killed as soon as it was there
                self._pool.shutdown(wait=True)
                if not left:
                    raise
            else:
                return

    def give(self, function: Callable[[Door, Any], Any], item: object) -> None:
        """Queue an item; a lane whose worker died meanwhile gets a new one when its failure is collected."""
        try:
            self.given[self._pool.submit(_in_lane, function, item)] = item
        except BrokenProcessPool:
            failed: Future[Any] = Future()
            failed.set_exception(BrokenProcessPool("its worker was killed"))
            self.given[failed] = item

    def collect(self, function: Callable[[Door, Any], Any]) -> Iterator[Done[Any, Any]]:
        """What is done; when the worker was killed, the item it was at has failed and the next is given again."""
        for future in [future for future in self.given if future.done()]:
            if future not in self.given:
                continue
            item = self.given.pop(future)
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                logging.warning("%s was killed; a new one takes its place", self._name)
                waiting = deque(self.given.values())
                self.given.clear()
                self._pool.shutdown(wait=True)
                self._open()
                for other in waiting:
                    self.give(function, other)
                yield Done(item, None, f"{self._name} was killed")
            elif error is not None:
                yield Done(item, None, "".join(traceback.format_exception(error)))
            else:
                yield Done(item, future.result())

    def dismiss(self) -> None:
        """Tell the worker to leave."""
        for process in self._processes():
            process.terminate()

    def end(self, until: float) -> None:
        """Wait for the worker until a moment (monotonic), then kill it."""
        for process in self._processes():
            process.join(max(0.0, until - time.monotonic()))
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _processes(self) -> list[Any]:
        return list((self._pool._processes or {}).values())  # the pool has no public way to signal them


_door: Door | None = None
"""In a worker: the door that its matches share."""
_share: tuple[int, ...] | None = None
"""In a worker: the cores that its bots may count on."""


def _become_referee(name: str, parent: int, share: tuple[int, ...], pin: bool) -> None:
    """In a new worker: take a name that process lists and logs show, and never outlive the main process."""
    global _share  # a worker is one process in one lane
    _share = share
    if pin:
        cores.stay(share[0])  # and so will all that it starts
    multiprocessing.current_process().name = name
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells everybody; the main process decides
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # not SIGTERM: Python looks at it only between two system calls
    if os.getppid() != parent:
        _leave()
    logs.in_worker()


def _in_lane(function: Callable[[Door, Any], Any], item: object) -> object:
    """Call the function with this worker's door; a door that failed is replaced for the next item."""
    global _door  # a worker is one process with one door
    door = _door = _door or Door(_share)
    try:
        return function(door, item)
    except BaseException:
        _door = None
        door.close()
        raise


def _leave(*_: object) -> NoReturn:
    """End this worker with all that it started."""
    try:
        if _door is not None:
            _door.close()
    finally:
        os._exit(0)
