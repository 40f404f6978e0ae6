"""The tables and pages of each event, computed once for all readers until the event changes.

While an event is played, nearly all of it changes all the time. A reader then gets what was
computed last, and a new computation begins in the background, unless the last one took so long that
the process would do little else.
"""

import asyncio
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from arena.event.control import RunState, last_state
from arena.extras.serve.accounts import last_changes
from arena.extras.serve.worker import SHARE, JobError, Worker
from arena.results.archive import Archive
from arena.results.folders import EVENT_FILE

Result = TypeVar("Result")

FRESH_S = 2.0
"""A computation does not begin again sooner than that."""
MOST_FRAMES = 600
"""How many results are remembered; the one that nobody has asked for longest is forgotten."""
MOST_FRAME_BYTES = 200_000_000
"""The most bytes of all results together."""
STATE_S = 0.5
"""The time for which it is remembered what a run does."""


@dataclass
class _Frame:
    value: Any
    stamp: object
    again: float
    """The time (monotonic) from which it may be computed again."""
    size: int
    """About the bytes that the value and its key take."""


@dataclass(frozen=True)
class _Run:
    looked: float
    """When this was found out (monotonic)."""
    is_under_way: bool
    """True if a process writes to the archive."""
    state: RunState | None
    """What the run says of itself."""


class Frames:
    """The results of jobs by their names and values."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._tables = Worker()
        # Tables take long and a match does not, so a reader of a match does not wait for tables.
        self._matches = Worker()
        # Pictures have their own worker, so they delay nobody else: a program that looks at the
        # links of all matches asks for a picture of each.
        self._pictures = Worker()
        self._frames: OrderedDict[object, _Frame] = OrderedDict()
        self._running: dict[object, asyncio.Task[Any]] = {}
        self._runs: dict[str, _Run] = {}

    def close(self) -> None:
        """End the processes."""
        for task in self._running.values():
            task.cancel()
        for worker in (self._tables, self._matches, self._pictures):
            worker.close()

    def state(self, event: str) -> RunState | None:
        """Return the state of the run that plays an event now; None when none does."""
        return self._run(event).state

    def _run(self, event: str) -> "_Run":
        """Return what is known of a run that plays an event now."""
        now = time.monotonic()
        run = self._runs.get(event)
        if run is not None and now - run.looked <= STATE_S:
            return run
        folder = self.results / event
        holder = Archive.holder(folder)
        state = last_state(folder)
        if holder is None:
            state = None
        elif state is not None and state.token != holder.token:
            state = None  # the run that wrote it has ended
        run = _Run(looked=now, is_under_way=holder is not None, state=state)
        self._runs[event] = run
        return run

    async def fresh(
        self,
        event: str,
        job: Callable[..., Result],
        *values: object,
    ) -> Result:
        """Return what a job makes of an event now, and remember nothing.

        The process for a few matches computes it.
        """
        return await self._matches.run(job, self.results / event, *values)

    async def table(
        self,
        event: str,
        job: Callable[..., Result],
        *values: object,
    ) -> Result:
        """Return what a job makes of an event, by the process for tables."""
        return await self._get(self._tables, event, job, values)

    async def match(
        self,
        event: str,
        job: Callable[..., Result],
        *values: object,
        also: tuple[object, ...] = (),
    ) -> Result:
        """Return what a job makes of a few matches, by the process for them.

        It gets the values of `also`, too, but is not run again because they have changed.
        """
        return await self._get(self._matches, event, job, values, also)

    async def picture(
        self,
        event: str,
        job: Callable[..., Result],
        *values: object,
    ) -> Result:
        """Return what a job draws of an event, by the process for pictures."""
        return await self._get(self._pictures, event, job, values)

    async def _get(
        self,
        worker: Worker,
        event: str,
        job: Callable[..., Result],
        values: tuple[object, ...],
        also: tuple[object, ...] = (),
    ) -> Result:
        key = (event, job, values)
        # When the run ends, what was made of an earlier fit is made again.
        is_under_way = self._run(event).is_under_way
        archive = self.results / event / EVENT_FILE
        stamp = (last_changes(archive), is_under_way)
        frame = self._frames.get(key)
        is_due = frame is None
        if frame is not None and time.monotonic() >= frame.again:
            # A run that waits stores nothing, but the fit of an earlier look may be due by now.
            is_due = is_under_way or frame.stamp != stamp
        if is_due and key not in self._running:
            task = asyncio.ensure_future(self._compute(worker, key, stamp, also))
            # asyncio warns of a failure that nobody has looked at.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._running[key] = task
        if frame is None:
            # A reader who leaves does not stop the computation for others.
            return await asyncio.shield(self._running[key])
        self._frames.move_to_end(key)
        value: Result = frame.value
        return value

    async def _compute(
        self,
        worker: Worker,
        key: tuple[str, Any, tuple[object, ...]],
        stamp: object,
        also: tuple[object, ...],
    ) -> Any:
        event, job, values = key
        begun = time.monotonic()
        try:
            value = await worker.run(job, self.results / event, *values, *also)
        except JobError:
            # A BusyError changes nothing: the queue may be full for this reader's address alone.
            frame = self._frames.get(key)
            if frame is not None:
                frame.again = time.monotonic() + FRESH_S * SHARE
            raise
        finally:
            del self._running[key]
        now = time.monotonic()
        took = now - begun
        again = now + max(FRESH_S, SHARE * took)
        size = len(pickle.dumps((key, value)))
        self._frames[key] = _Frame(value, stamp, again, size)
        while len(self._frames) > MOST_FRAMES or self._size() > MOST_FRAME_BYTES:
            self._frames.popitem(last=False)
        return value

    def _size(self) -> int:
        """Return about how many bytes all results take."""
        return sum(frame.size for frame in self._frames.values())
