"""What was computed of each event: kept until the event's files change, and computed once for all readers.

While an event is played its files change all the time. A reader then gets what was computed last,
and a new computation begins in the background, unless the last one took so long that the process
would do little else.
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
from arena.extras.serve.worker import JobError, Worker
from arena.results.archive import Archive

Result = TypeVar("Result")

SHARE = 10  # a computation is begun again after ten times as long as it took
FRESH_S = 2.0  # and not sooner than that
KEPT, KEPT_BYTES = 600, 200_000_000  # results; the one that was not asked for longest is forgotten
STATE_S = 0.5  # for which the state of a run is remembered


@dataclass
class _Frame:
    value: Any
    stamp: object
    again: float
    """When it may be computed again."""
    size: int
    """About the bytes that it takes, with its key."""


class Frames:
    """The results of jobs by their names and values."""

    def __init__(self, results: Path) -> None:
        self.results = results
        # Tables take long, a match does not: who opens one does not wait for the tables. Nobody
        # waits for a picture but who asks for it: a program that looks at the links of all matches
        # asks for one of each.
        self._tables, self._matches, self._pictures = Worker(), Worker(), Worker()
        self._frames: OrderedDict[object, _Frame] = OrderedDict()
        self._running: dict[object, asyncio.Task[Any]] = {}
        self._states: dict[str, tuple[float, RunState | None]] = {}

    def close(self) -> None:
        """End the processes."""
        for task in self._running.values():
            task.cancel()
        for worker in (self._tables, self._matches, self._pictures):
            worker.close()

    def state(self, event: str) -> RunState | None:
        """Return the state of the run that plays an event now; None when none does."""
        now = time.monotonic()
        looked, state = self._states.get(event, (0.0, None))
        if now - looked > STATE_S or event not in self._states:
            folder = self.results / event
            holder, state = Archive.holder(folder), last_state(folder)
            state = (
                state
                if state is not None and holder is not None and state.token == holder.token
                else None
            )
            self._states[event] = (now, state)
        return state

    async def unkept(self, event: str, job: Callable[..., Result], *values: object) -> Result:
        """Return what a job makes of an event now, by the process for a few matches, and remember nothing."""
        return await self._matches.run(job, self.results / event, *values)

    async def table(self, event: str, job: Callable[..., Result], *values: object) -> Result:
        """Return what a job makes of an event, by the process for tables."""
        return await self._get(self._tables, event, job, values)

    async def match(
        self, event: str, job: Callable[..., Result], *values: object, also: tuple[object, ...] = ()
    ) -> Result:
        """Return what a job makes of a few matches, by the process for them.

        It gets the values of `also`, too, but is not run again because they have changed.
        """
        return await self._get(self._matches, event, job, values, also)

    async def picture(self, event: str, job: Callable[..., Result], *values: object) -> Result:
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
        key, stamp = (event, job, values), last_changes(self.results / event / "event.sqlite")
        frame = self._frames.get(key)
        is_due = frame is None or (frame.stamp != stamp and time.monotonic() >= frame.again)
        if is_due and key not in self._running:
            self._running[key] = asyncio.ensure_future(self._compute(worker, key, stamp, also))
            self._running[key].add_done_callback(lambda task: task.cancelled() or task.exception())
        if frame is None:
            return await asyncio.shield(
                self._running[key]
            )  # a reader who leaves stops it for nobody
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
        except JobError:  # not a full queue: it may be full for this reader's address alone
            if (frame := self._frames.get(key)) is not None:
                frame.again = time.monotonic() + FRESH_S * SHARE
            raise
        finally:
            del self._running[key]
        took = time.monotonic() - begun
        size = len(pickle.dumps((key, value)))
        self._frames[key] = _Frame(
            value, stamp, time.monotonic() + max(FRESH_S, SHARE * took), size
        )
        while (
            len(self._frames) > KEPT
            or sum(frame.size for frame in self._frames.values()) > KEPT_BYTES
        ):
            self._frames.popitem(last=False)
        return value
