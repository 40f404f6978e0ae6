"""The same work on many items, side by side: a forked process a core, results in the order of the items.

What the work needs it has from before the fork, so nothing but items and results is sent. No connection to a database
may be open then. It knows nothing of matches; those are played by workers.py.
"""

import gc
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 3
"""Items a process that are handed out before they are wanted."""

_work: Callable[[Any], Any]


def work(do: Callable[[Item], Result], items: Iterable[Item], *, cores: int | None = None) -> Generator[Result]:
    """What `do` makes of each item; here, where there is one core. Who stops listening leaves no process behind."""
    cores = len(os.sched_getaffinity(0)) if cores is None else cores
    if cores < 2:
        yield from map(do, items)
        return
    pool = ProcessPoolExecutor(cores, mp_context=get_context("fork"), initializer=_begin, initargs=(do,))
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(_one, item))
            if len(waiting) > AHEAD * cores:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(do: Callable[[Any], Any]) -> None:
    global _work
    _work = do
    gc.disable()  # such a process is short-lived, and looking for cycles would take a fifth of its time


def _one(item: Any) -> Any:
    return _work(item)
