"""The event: play what is due, append, repeat; then standings.

It owns the order of things and what happens to a match that arena itself failed. Nothing that finished is ever lost:
a record is committed before it counts, and resuming is the same call with a longer history.
"""

import contextlib
import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from arena import builds, cores, schedules, snapshot
from arena.archive import Archive
from arena.bot import OverloadedError
from arena.errors import ArenaError
from arena.event import Event
from arena.keeping import keeper_of
from arena.logs import Log
from arena.match import Abort, Fault, Match, Record, Seat
from arena.play import call, play
from arena.sandbox.door import Door
from arena.workers import Workers

ATTEMPTS = 3  # of one match, before the event gives up
OVERLOADED = f"{OverloadedError.__module__}.{OverloadedError.__qualname__}: "
CALLS = 2  # of one bot, before its matches are forfeited unplayed


class Audience(Protocol):
    """Whoever wants to see an event while it is played; every method is called in the main thread."""

    def begins(self, planned: int, finished: int) -> None:
        """So many matches are planned, of which so many are already on disk."""

    def absent(self, bot: str, fault: Fault) -> None:
        """This bot never said `ready`: its matches are forfeited."""

    def finished(self, record: Record) -> None:
        """This match is over, and stored."""

    def aborted(self, abort: Abort) -> None:
        """Arena failed this match."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run of an event came."""

    planned: int
    finished: int
    stopped: bool
    """True when it was told to stop before all was played."""
    failed: tuple[Abort, ...] = ()
    """The last failure of each match that was given up."""

    @property
    def complete(self) -> bool:
        """Whether every planned match is on disk."""
        return self.finished == self.planned


def run(
    event: Event,
    folder: Path,
    *,
    workers: int,
    audience: Audience,
    pin: bool | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Progress:
    """Play all of the event that is not yet in `folder`; `pin` keeps each lane on one core, None = where it pays."""
    schedule = schedules.find(event.schedule)
    with Archive.open(folder, writing=True) as archive:
        _refuse_another_level(archive, event)
        event = snapshot.taken(event, folder / "bots")
        made = builds.built(event.bots, folder.parent / ".builds", event.conditions.sandbox)
        event = replace(event, bots=made)
        plan = {match.id for match in schedule.plan(event)}
        archive.begin(event, plan)
        run = _Run(event, archive, schedule, plan, audience)
        audience.begins(len(plan), len(run.done))
        if run.done != plan:
            try:
                log = Log(folder / "logs")
            except OSError as error:
                raise ArenaError(f"{folder / 'logs'}: cannot be written: {error.strerror}; move it away") from error
            try:
                pinned = cores.pays(pin, event, workers, len(cores.available()))
                with Workers(workers, pin=pinned, before_fork=_before_fork(archive, log), stopped=stopped) as lanes:
                    run.roll_call(lanes)
                    run.play_all(lanes)
            finally:
                log.close()
        return Progress(
            planned=len(plan), finished=len(run.done), stopped=stopped(), failed=tuple(run.given_up.values())
        )


def _refuse_another_level(archive: Archive, event: Event) -> None:
    """Matches at different levels of confinement do not compare: an event has one."""
    if not archive.ids():
        return
    before, now = archive.event().conditions.sandbox, event.conditions.sandbox
    if before != now:
        raise ArenaError(
            f"{archive.folder}: was played at the level {before!r}, and this run would be at {now!r}, which does not "
            f"compare: say --sandbox {before}, or play under another --name"
        )


class _Run:
    """One run of an event: what is done, under way, and given up."""

    def __init__(
        self,
        event: Event,
        archive: Archive,
        schedule: schedules.Schedule,
        plan: set[str],
        audience: Audience,
    ) -> None:
        self._event = event
        self._archive = archive
        self._schedule = schedule
        self._audience = audience
        self._absent: dict[str, Fault] = {}
        self._under_way: set[str] = set()
        self._ended: list[Record] = []
        self._queue: deque[Match] = deque()
        self._attempts: Counter[str] = Counter()
        self.done = archive.ids() & plan
        self.given_up: dict[str, Abort] = {}
        self._broken = False
        """Whether arena fails, and not the machine: no more is begun. A match of one bot that naps where others work
        must not cost all others theirs."""

    def roll_call(self, lanes: Workers) -> None:
        """Have each bot that is to play say `ready` once; who fails twice is absent from the whole event."""
        waiting = deque(self._first_seats().values())
        missed: Counter[str] = Counter()
        for done in lanes.map(_call, lambda: waiting.popleft() if waiting else None):
            match, seat = done.item
            if done.failure:
                logging.error("roll call of %s: %s", seat.bot.name, done.failure)
            elif done.result is not None:
                missed[seat.bot.name] += 1
                if missed[seat.bot.name] < CALLS:
                    waiting.append((match, seat))
                else:
                    self._absent[seat.bot.name] = done.result
                    logging.warning("%s is absent: %s", seat.bot.name, done.result.words)
                    self._audience.absent(seat.bot.name, done.result)

    def play_all(self, lanes: Workers) -> None:
        """Play what is due until nothing is; a match that arena failed is played again, a few times."""
        try:
            for done in lanes.map(_play, self._next):
                match = done.item[0]
                if done.result is None:
                    self._under_way.discard(match.id)
                    self._abort(match, done.failure)
                else:
                    self._ended.append(done.result)
        finally:
            self._keep()

    def _keep(self) -> None:
        """Commit what one look at the lanes brought, as one batch; only now is it done.

        The lanes are looked at again only when it is: the more there is to store, the larger are the batches.
        """
        ended, self._ended = self._ended, []
        if ended:
            self._archive.append(*ended)
        for record in ended:
            self._under_way.discard(record.match.id)
            self.done.add(record.match.id)
            self._audience.finished(record)

    def _next(self) -> tuple[Match, dict[str, Fault]] | None:
        self._keep()  # what is due hangs on what is done
        if not self._queue:
            busy = self._under_way | self.given_up.keys()
            self._queue.extend(match for match in self._schedule.due(self._event, self.done) if match.id not in busy)
        if not self._queue or self._broken:
            return None
        match = self._queue.popleft()
        self._under_way.add(match.id)
        names = {seat.bot.name for seat in match.seats}
        return match, {name: fault for name, fault in self._absent.items() if name in names}

    def _abort(self, match: Match, cause: str) -> None:
        self._attempts[match.id] += 1
        abort = Abort(match=match.id, cause=cause, attempt=self._attempts[match.id])
        logging.error("match %s aborted, attempt %d: %s", match.id, abort.attempt, cause)
        self._archive.append_abort(abort)
        self._audience.aborted(abort)
        overloaded = OVERLOADED in cause
        if abort.attempt >= ATTEMPTS:
            self.given_up[match.id] = abort
            self._broken |= not overloaded
        elif overloaded:
            self._queue.append(match)  # later the load may have passed
        else:
            self._queue.appendleft(match)

    def _first_seats(self) -> dict[str, tuple[Match, Seat]]:
        """For each bot that still has a match to play: the first of them, and its seat there."""
        first: dict[str, tuple[Match, Seat]] = {}
        for match in self._schedule.plan(self._event):
            if match.id not in self.done:
                for seat in match.seats:
                    first.setdefault(seat.bot.name, (match, seat))
        return first


def _before_fork(archive: Archive, log: Log) -> Callable[[], None]:
    def prepare() -> None:
        archive.close()  # SQLite must not cross a fork
        log.renew()

    return prepare


def _call(door: Door, item: tuple[Match, Seat]) -> Fault | None:
    match, seat = item
    return call(match, seat, door)


def _play(door: Door, item: tuple[Match, dict[str, Fault]]) -> Record:
    match, absent = item
    keeper = keeper_of(door) if match.conditions.keep else None
    with contextlib.ExitStack() as failing:
        if keeper is not None:
            failing.callback(keeper.close)  # its door is to be closed
        record = play(match, door=door, absent=absent, keeper=keeper)
        failing.pop_all()
    logging.info("match %s %s: %s %s", match.id, match.label, record.verdict.reason, dict(record.verdict.scores))
    return record
