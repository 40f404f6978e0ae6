"""One run of an event: prepare what is played, play the matches that are due, store them, repeat.

The director (director.py) decides what is played next. This file carries that to the lanes, and
what came back to the archive and the audience.
"""

# Theory of operation
#
# plan.py says what is due: to resume is the same walk with more matches on disk. A match that is
# given up leaves its batch incomplete, so that a batch that depends on it is not begun: the run
# ends, and the next run tries again.
#
# Lanes (workers.py) play the matches; this process plays nothing. It gives out matches, stores
# records and talks to the audience, all in its main thread. It alone writes to the archive, because
# SQLite connections must not cross a fork.
#
# Committed before reported. A record that comes back waits in `_kept`. All that wait are committed
# in one transaction, COMMIT_S after the last one, and only then they count as done and the audience
# hears of them. So whatever a user was told is on disk, also after a power cut. A transaction for
# each record would cost an fsync for each. Where the plan cannot go on without results, all that
# came back is committed at once, and the plan is asked again.
#
# `stop_after`. When its seconds are over, no match is begun; those under way are finished and
# stored, as after `arena stop` (control.py). A match that waits in a lane's queue carries the end
# time, and comes back unplayed: a future that a pool has passed on cannot be cancelled. The time is
# that of the monotonic clock, which nobody can set. With lanes elsewhere it is that of the wall
# clock, because another machine shares no other; the first clock by which it is over ends the run.
# This is the only rule by which two runs of the same event differ, as clocks do. The other rules
# are part of the plan.
#
# Ctrl-C. Matches under way are dropped with their processes: they are still due, so nothing is lost
# but their time. Records that already came back are still committed.

import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from arena import extensions, system, whole_files
from arena.errors import ArenaError
from arena.event import bot_folder, builds, placings, plan, service
from arena.event.control import Control, LaneStatus
from arena.event.director import Commit, Director, ReportAbort, ReportAbsence, RunPhase, Warn, Work
from arena.event.end_time import EndTime
from arena.event.lane import perform
from arena.event.logs import Log
from arena.event.service import Opened, Opener
from arena.event.workers import Done, Lane, Lanes, OpenLanes, Workers
from arena.results.archive import Archive
from arena.sandbox import choice, cores
from arena.sandbox.exposure import refuse_exposed
from arena.values import Abort, Event, Fault, Match, Record, Stop

COMMIT_S = 0.1  # between two transactions while the plan does not need their records


class Audience(Protocol):
    """An observer of an event that is played; every method is called in the main thread."""

    def begins(self, planned: int, finished: int) -> None:
        """Take note of how many matches are planned, exactly or at most, and how many of them are on disk already."""

    def absent(self, bot: str, fault: Fault) -> None:
        """Take note that this bot never said `ready`: its matches are forfeited."""

    def finished(self, record: Record) -> None:
        """Take note that this match is over, and stored."""

    def aborted(self, abort: Abort) -> None:
        """Take note that arena failed this match."""


class Audiences:
    """The observer whom a run was given, and after it those that extensions bring."""

    # An observer is called in the main thread, and what it does delays the lanes. A list of records
    # at the end would delay nobody, but a webhook for each match wants them at once. What it raises
    # ends the run: its code is trusted, and a fault in it should be seen. What was stored stays so.

    def __init__(self, audience: Audience, event: Event, folder: Path) -> None:
        self._all: list[Audience] = [audience]
        for path in extensions.audiences():
            self._all.append(extensions.load(path)(event, folder))

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.begins(planned, finished)

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.absent(bot, fault)

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.finished(record)

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        for audience in self._all:
            audience.aborted(abort)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run of an event came."""

    planned: int
    """Exact once the event is complete; before, it is a bound where results decide how many matches there are."""
    finished: int
    complete: bool
    phase: RunPhase
    """Why it began no more matches; PLAYING if nothing ended it."""
    stop: Stop | None = None
    """Why the event ended, where one of its rules says when."""
    failed: tuple[Abort, ...] = ()
    """The last abort of each match that was given up."""
    unlogged: str = ""
    """The reason why lines are missing in its log, if any are."""


def make_archive(event: Event, folder: Path) -> None:
    """Make the archive of an event, unless it is there: a run that was killed at once may have left half a file."""
    if isinstance(event.seed, str):
        with contextlib.suppress(OSError):  # `Archive.make` reports what is wrong with the folder
            whole_files.make_folder(folder)
            whole_files.make_empty(
                folder / "event.sqlite", whole_files.PRIVATE
            )  # it will hold the secret seed
    Archive.make(folder)


def run(
    event: Event,
    folder: Path,
    *,
    workers: int,
    audience: Audience,
    pin: bool | None = None,
    stopped: Callable[[], bool] = lambda: False,
    elsewhere: OpenLanes | None = None,
    services: Mapping[str, Opener] | None = None,
) -> Progress:
    """Play all of the event that is not yet in `folder`; `pin` keeps each lane on one core, None = where it pays.

    `elsewhere` opens lanes that play instead of `workers` referee processes here. `services` open
    what serves bots from outside of their matches, by name.
    """
    openers = services or {}
    for name, known in service.known().items():
        known.refuse(event, is_served=name in openers, elsewhere=elsewhere is not None)
    until = None
    if event.stop_after is not None:
        until = EndTime.after(event.stop_after, on_wall=elsewhere is not None)
    with Archive.open(folder, writing=True) as archive:
        event = _prepared(event, archive, builds_here=elsewhere is None)
        audience = Audiences(audience, event, folder)
        run = _Run(event, archive, audience, until, stopped)
        audience.begins(run.plan.total, run.finished)
        unlogged = ""
        if run.director.is_due():
            with contextlib.ExitStack() as opened:
                serving: dict[str, object] = {}
                for name, opener in openers.items():
                    serving[name] = opened.enter_context(opener(folder))
                log = opened.enter_context(contextlib.closing(Log(folder / "logs")))
                lanes = opened.enter_context(run.lanes(log, workers, pin, elsewhere))
                run.play(lanes, serving, watched=folder if elsewhere is None else None)
            if log.failure:
                unlogged = f"{folder / 'logs'}: lines are missing in its log: {log.failure}"
        return run.ended(unlogged)


def _prepared(event: Event, archive: Archive, *, builds_here: bool) -> Event:
    """Return the event with its bots as they will be played, and store it as the event of the archive.

    `builds_here` is False where lanes elsewhere build the bots themselves.
    """
    folder = archive.folder
    if event.conditions.sandbox == "auto":  # a notebook may not have resolved it
        event = replace(event, conditions=choice.resolved(event.conditions))
    level = event.conditions.sandbox
    before = archive.event().conditions.sandbox if archive.of_all_versions().count() else level
    if before != level:
        raise ArenaError(
            f"{folder}: was played at the level {before!r}, and this run would be at {level!r}, which does not "
            f"compare: say --sandbox {before}, or play under another --name"
        )
    refuse_exposed((folder,), event.bots, level)
    event = bot_folder.copy_bots(event, folder / "bots")
    if builds_here:
        event = replace(event, bots=builds.built(event.bots, folder.parent / ".builds", level))
    plan.begin(event, archive)
    return event


class _Run:
    """The shell around a director: its lanes, its archive, its audience, its clock."""

    def __init__(
        self,
        event: Event,
        archive: Archive,
        audience: Audience,
        until: EndTime | None,
        stopped: Callable[[], bool],
    ) -> None:
        self._event, self._archive, self._audience, self._until = event, archive, audience, until
        self._stopped = stopped
        self._control = Control(archive.folder, archive.token)
        self.plan = plan.Plan.resumed(event, archive)
        archive.forget_batches(len(self.plan.batches))
        self.director = Director(self._due(), bots=len(event.bots), until=until)
        self.finished = archive.count()
        self._played: Counter[str] = Counter()
        """How many matches of each lane were stored in this run."""
        self._batch: dict[str, int] = {}
        """The batch of each match that was walked and is not stored."""
        self._kept: list[tuple[str, Record]] = []
        """Records that came back and are not committed yet, with the lanes that played them."""
        self._commit_due = 0.0
        """The time (monotonic) from which on they are to be committed."""
        self._given_up: dict[str, Abort] = {}

    def lanes(self, log: Log, workers: int, pin: bool | None, elsewhere: OpenLanes | None) -> Lanes:
        """Open the lanes of this machine, or those elsewhere."""
        if elsewhere is not None:
            return elsewhere(self._event, self._archive.folder / "logs", pin)

        def before_fork() -> None:
            self._archive.close()  # SQLite must not cross a fork; the archive opens again by itself
            log.renew()

        pinned = cores.should_pin(pin, self._event, workers, len(system.cores()))
        return Workers(workers, pin=pinned, before_fork=before_fork)

    def play(self, lanes: Lanes, services: Opened, *, watched: Path | None) -> None:
        """Play what is due until nothing is; `services` serve the bots from outside.

        `watched` is the folder by which somebody may watch the lanes (broadcast.py).
        """

        def is_stopped() -> bool:  # is called ten times a second, and whenever a match has ended
            if self._kept and time.monotonic() >= self._commit_due:
                self._commit()
            self._control.look(
                lambda: (
                    self.plan.total,
                    self.finished,
                    self._played.total(),
                    self._statuses(lanes.lanes()),
                )
            )
            return self._stopped()

        try:
            results: Iterator[Done[Work, object]]
            results = lanes.map(
                partial(perform, services=services, watched=watched)
                if services or watched
                else perform,
                self._next,
                stopped=is_stopped,
                ending=self._is_ending,
            )
            for done in results:
                for effect in self.director.heard(done):
                    match effect:
                        case Record():
                            self._kept.append((done.lane, effect))
                        case ReportAbsence(bot, fault):
                            logging.warning("%s is absent: %s", bot, fault.words)
                            self._audience.absent(bot, fault)
                        case ReportAbort(abort, known, is_last):
                            logging.error(
                                "match %s aborted, attempt %d: %s",
                                abort.match,
                                abort.attempt,
                                abort.cause,
                            )
                            self._archive.append_abort(abort)
                            if not known:
                                self._audience.aborted(abort)
                            if is_last:
                                self._given_up[abort.match] = abort
                        case Warn(text):
                            logging.error("%s", text)
        finally:
            self._commit()

    def ended(self, unlogged: str) -> Progress:
        """Store, publish and return how far the run came."""
        if self._stopped():
            self.director.end(RunPhase.INTERRUPTED)
        else:
            self.director.is_due()  # only a walk that goes on finds that there is no next match
        complete, phase, stop = self.plan.complete, self.director.phase, None
        if phase is not RunPhase.INTERRUPTED:
            stop = self.plan.stop(self.finished, late=phase is RunPhase.LATE)
        placings.store_batches(self._event, self.plan, self._archive)
        self._archive.append_stop(stop)
        planned = self.finished if complete else self.plan.total
        self._control.publish(planned, self.finished, self._played.total(), complete=complete)
        self._control.close()
        return Progress(
            planned=planned,
            finished=self.finished,
            complete=complete,
            phase=phase,
            stop=stop,
            failed=tuple(self._given_up.values()),
            unlogged=unlogged,
        )

    def _due(self) -> Iterator[Match | None]:
        """Yield the matches of the plan that are not stored; None while nothing is decided beyond those before."""
        stored: list[str] = []
        for planned in self.plan.walk():
            if planned is not None and planned.stored:
                stored.append(planned.match.id)
                if len(stored) < plan.LOOK_UP:
                    continue
            # A batch that depends on results may plan matches that an earlier plan had played.
            self._count_stored(stored)
            if planned is None:
                yield None
            elif not planned.stored:
                self._batch[planned.match.id] = planned.batch
                yield planned.match
        self._count_stored(stored)

    def _count_stored(self, ids: list[str]) -> None:
        if ids:
            self.finished += self._archive.mark_planned(ids)
            ids.clear()

    def _next(self) -> Work | None:
        self._is_ending()
        while isinstance(work := self.director.next_work(), Commit):
            self._commit()
        return work

    def _is_ending(self) -> bool:
        """Return whether no more matches are begun, though some may be under way."""
        if self._until is not None and self._until.is_over():
            self.director.end(RunPhase.LATE)
        if self._control.halt_requested:
            self.director.end(RunPhase.HALTED)
        return self.director.phase is not RunPhase.PLAYING

    def _commit(self) -> None:
        """Store the records that came back, as one transaction; only then are they done, and reported."""
        kept, self._kept = self._kept, []
        if kept:
            self._archive.append(*(record for _, record in kept))
            self._commit_due = time.monotonic() + COMMIT_S
        self.director.committed()
        for lane, record in kept:
            self.plan.done(self._batch.pop(record.match.id))
            self._played[lane] += 1
            self.finished += 1
            self._audience.finished(record)
        placings.store_batches(self._event, self.plan, self._archive)

    def _statuses(self, lanes: tuple[Lane, ...]) -> list[LaneStatus]:
        """Return what each lane is doing, for other processes to read."""
        statuses = []
        for lane in lanes:
            status = LaneStatus(
                lane=lane.name,
                machine=lane.machine,
                played=self._played[lane.name],
                state=lane.state,
            )
            if isinstance(lane.item, Work):
                match, age = lane.item.match, timedelta(seconds=time.monotonic() - lane.since)
                status = replace(
                    status,
                    match=match.id,
                    board=match.label,
                    bots=tuple(seat.bot.name for seat in match.seats),
                    since=(datetime.now(UTC) - age).isoformat(timespec="milliseconds"),
                )
            statuses.append(status)
        return statuses
