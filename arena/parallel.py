"""The same work on many items at once: a forked process for each core, results in order.

The processes inherit the data of the work by the fork, so only items and results are sent. No
connection to a database may be open then. It knows nothing of matches; workers.py plays those.
"""

import contextlib
import ctypes
import gc
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from arena import system

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

PR_SET_PDEATHSIG = 1
LOOK_S = 0.5
"""The time between two checks that a pool still works, or that our parent lives where the kernel
does not say so."""
ITEMS_AHEAD = 3
"""The number of items for each process that are handed out before their results are needed."""

_work: Callable[[Any], Any]


def parallel_map(
    do: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    cores: int | None = None,
) -> Generator[Result]:
    """Yield the result of `do` for each item; with one core, without other processes.

    No process outlives the loop.
    """
    if cores is None:
        cores = len(system.cores())
    # Elsewhere a fork of a process with threads, which libraries start, is not safe.
    if cores < 2 or not system.LINUX:
        yield from map(do, items)
        return
    # These imports are here, since most commands start no other process.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(
        cores,
        mp_context=get_context("fork"),
        initializer=_begin,
        initargs=(do, os.getpid()),
    )
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(_do, item))
            if len(waiting) > ITEMS_AHEAD * cores:
                yield result_of(pool, waiting.popleft())
        while waiting:
            yield result_of(pool, waiting.popleft())
    finally:
        close(pool)


def close(pool: "ProcessPoolExecutor") -> None:
    """Shut a pool down, and end its processes.

    They end even if the system refused the pool the thread that should end them.
    """
    processes = list((pool._processes or {}).values())  # the pool has no public way to name them
    # Before the shutdown, which would wait for the items that they work on.
    for process in processes:
        process.kill()
    with contextlib.suppress(RuntimeError):  # "cannot join thread before it is started"
        pool.shutdown(cancel_futures=True)
    for process in processes:
        process.join()


def result_of(pool: "ProcessPoolExecutor", future: "Future[Result]") -> Result:
    """Wait for a result.

    Raise RuntimeError if the system refused the pool a thread, so that no result will ever come.
    """
    while True:
        try:
            return future.result(LOOK_S)
        except TimeoutError:
            manager: Any = pool._executor_manager_thread  # the pool has no public way to tell
            may_still_come = future.done() or manager is None or manager.is_alive()
            if not may_still_come:
                # Python's own error where it is refused a thread; `errors.refusal` knows it.
                raise RuntimeError("can't start new thread") from None


def tie_to(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Have this process end when the parent ends, even if that is killed.

    If the parent has ended already, this process ends at once. On Linux the kernel does it, and the
    parent is the thread that forked. With `by` SIGTERM a process can clean up, if it is sure to
    handle that: Python does so only between two system calls.
    """
    if system.LINUX:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)
    else:
        watcher = threading.Thread(
            target=_end_with,
            args=(parent,),
            daemon=True,
        )
        watcher.start()
    if os.getppid() != parent:
        os._exit(1)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(1)


def _begin(do: Callable[[Any], Any], parent: int) -> None:
    global _work
    _work = do
    tie_to(parent)
    # Ctrl-C and a closed terminal reach every process of the terminal; the parent handles them, and
    # ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Such a process is short-lived, and the search for cycles would take a fifth of its time.
    gc.disable()


def _do(item: Any) -> Any:
    return _work(item)
