"""One run of an event: play the matches that are due, and store them.

The director (director.py) decides which work is next. This file carries the work to the lanes, and
the results to the archive and the audience.
"""

# Theory of operation
#
# plan.py decides which matches are due: a resumed run walks the same plan with more matches on
# disk. A match that is given up leaves its batch incomplete, so that a batch that depends on it is
# not begun: the run ends, and the next run tries again.
#
# Lanes (workers.py) play the matches; this process plays none. It gives out matches, stores records
# and calls the audience, all in its main thread. It alone writes to the archive, because SQLite
# connections must not cross a fork.
#
# Committed before reported. A record that comes back waits in `_uncommitted`. All waiting records
# are committed in one transaction, COMMIT_S after the last transaction, and only then they count as
# done and the audience hears of them. So everything that a user was told is on disk, also after a
# power cut. A transaction for each record would need an fsync for each. Where the plan cannot go on
# without results, all records are committed at once, and the plan is asked again.
#
# `stop_after`. When its seconds are over, no match is begun; matches under way are finished and
# stored, as after `arena stop` (control.py). A match that waits in a lane's queue carries the end
# time, and comes back unplayed: a future that a pool has passed on cannot be cancelled. The time is
# that of the monotonic clock, which nobody can set. With lanes elsewhere it is that of the wall
# clock, the only clock that machines share; the first machine on which the time is over ends the
# run. `stop_after` is the only rule by which two runs of the same event differ, because clocks
# differ. The other rules are part of the plan.
#
# Ctrl-C. Matches under way are dropped with their processes: they are still due, so only their time
# is lost. Records that already came back are still committed.

import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from arena import system, whole_files
from arena.event import service
from arena.event.audience import Audience, Audiences
from arena.event.control import Control, LaneStatus, RunFigures
from arena.event.director import (
    Commit,
    Director,
    Effect,
    ReportAbort,
    ReportAbsence,
    RunPhase,
    Warn,
    Work,
)
from arena.event.end_time import EndTime
from arena.event.lane import perform
from arena.event.logs import Log
from arena.event.plan import Plan
from arena.event.preparation import prepared
from arena.event.service import Opened, Opener
from arena.event.workers import Done, Lane, Lanes, OpenLanes, Workers
from arena.results.archive import Archive
from arena.results.folders import EVENT_FILE
from arena.sandbox import cores
from arena.sandbox.launcher import Launcher
from arena.values import Abort, Event, Record, Stop

COMMIT_S = 0.1
"""The time between two transactions while the plan does not need their records."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run of an event came."""

    planned: int
    """Exact once the event is complete; until then a bound where results decide the number."""
    finished: int
    complete: bool
    phase: RunPhase
    """Why it began no more matches; PLAYING if nothing ended it."""
    stop: Stop | None = None
    """Why the event ended, where one of its rules says when."""
    failed: tuple[Abort, ...] = ()
    """The last abort of each match that was given up."""
    unlogged: str = ""
    """The reason why lines are missing in its log; empty if no line is missing."""


def make_archive(event: Event, folder: Path) -> None:
    """Make the archive of an event, unless it is there.

    A run that was killed at once may have left half a file.
    """
    if isinstance(event.seed, str):  # the file will hold a secret seed
        with contextlib.suppress(OSError):  # `Archive.make` reports what is wrong with the folder
            whole_files.make_folder(folder)
            whole_files.make_empty(folder / EVENT_FILE, whole_files.PRIVATE)
    Archive.make(folder)


def run(
    event: Event,
    folder: Path,
    *,
    workers: int,
    audience: Audience,
    pin: bool | None = None,
    stopped: Callable[[], bool] = lambda: False,
    show_waits: Callable[[tuple[str, ...]], object] = lambda _: None,
    elsewhere: OpenLanes | None = None,
    services: Mapping[str, Opener] | None = None,
) -> Progress:
    """Play the matches of the event that are not yet in `folder`.

    `pin` keeps each lane on one core, None = where it pays. `elsewhere` opens lanes that play
    instead of `workers` referee processes here. `services` are the openers of the services for
    bots, by name. `show_waits` is called about once a second with sentences that say for whom
    matches wait.
    """
    openers = services or {}
    is_elsewhere = elsewhere is not None
    service.refuse(event, openers, elsewhere=is_elsewhere)
    until = None
    if event.stop_after is not None:
        until = EndTime.after(event.stop_after, on_wall=is_elsewhere)
    with Archive.open(folder, writing=True) as archive:
        plan = prepared(event, archive, builds_here=not is_elsewhere)
        pin_here = cores.should_pin(pin, plan.event, workers, len(system.cores()))
        audience = Audiences(audience, plan.event, folder)
        audience.begins(plan.total, plan.finished)
        director = Director(plan.due(), bots=len(plan.event.bots), until=until)
        run = _Run(
            plan=plan,
            director=director,
            archive=archive,
            audience=audience,
            until=until,
            stopped=stopped,
            show_waits=show_waits,
        )
        unlogged = ""
        if director.is_due():
            logs = folder / "logs"
            with contextlib.ExitStack() as opened:
                open_services: dict[str, object] = {}
                for name, opener in openers.items():
                    context = opener(folder)
                    open_services[name] = opened.enter_context(context)
                log = Log(logs)
                opened.callback(log.close)

                watched: Path | None = None
                if elsewhere is None:
                    watched = folder
                    opening: Lanes = run.lanes_here(workers, log, pin=pin_here)
                else:
                    opening = elsewhere(plan.event, logs, pin)
                lanes = opened.enter_context(opening)
                run.play(lanes, open_services, watched=watched)

            if log.failure:
                unlogged = f"{logs}: lines are missing in its log: {log.failure}"
        return run.ended(unlogged)


class _Run:
    """The shell around a director: its lanes, its archive, its audience, its clock."""

    def __init__(
        self,
        plan: Plan,
        director: Director,
        archive: Archive,
        audience: Audience,
        until: EndTime | None,
        stopped: Callable[[], bool],
        show_waits: Callable[[tuple[str, ...]], object],
    ) -> None:
        self._plan = plan
        self._director = director
        self._archive = archive
        self._audience = audience
        self._until = until
        self._is_interrupted = stopped
        self._show_waits = show_waits
        self._control = Control(archive.folder, archive.token)
        self._played: Counter[str] = Counter()
        """The number of matches of each lane that were stored in this run."""
        self._uncommitted: list[tuple[str, Record]] = []
        """Records that came back and are not committed yet, with the lanes that played them."""
        self._commit_due = 0.0
        """The time (monotonic) from which on they are to be committed."""
        self._given_up: dict[str, Abort] = {}
        """The last abort of each match that was given up."""

    def lanes_here(self, workers: int, log: Log, *, pin: bool) -> Workers:
        """Open lanes of this machine."""

        def before_fork() -> None:
            # SQLite must not cross a fork; the archive opens again by itself.
            self._archive.close()
            log.renew()

        return Workers(workers, pin=pin, before_fork=before_fork)

    def play(
        self,
        lanes: Lanes,
        services: Opened,
        *,
        watched: Path | None,
    ) -> None:
        """Play the matches that are due, until none is.

        `services` serve the bots from outside. `watched` is the folder by which another process may
        watch the lanes (broadcast.py).
        """

        def describe() -> RunFigures:
            statuses = self._statuses(lanes.lanes())
            waits = service.waits(services)
            self._show_waits(waits)
            played = self._played.total()
            return self._plan.total, self._plan.finished, played, statuses, waits

        def is_stopped() -> bool:  # is called ten times a second, and whenever a match has ended
            if self._uncommitted and time.monotonic() >= self._commit_due:
                self._commit()
            self._control.look(describe)
            return self._is_interrupted()

        function: Callable[[Launcher, Work], object] = perform
        if services or watched:
            function = partial(perform, services=services, watched=watched)
        try:
            results: Iterator[Done[Work, object]] = lanes.map(
                function,
                self._next,
                stopped=is_stopped,
                ending=self._is_ending,
            )
            for done in results:
                for effect in self._director.heard(done):
                    self._perform(effect, done.lane)
        finally:
            self._commit()

    def _perform(self, effect: Effect, lane: str) -> None:
        """Perform an effect of what came back from a lane."""
        match effect:
            case Record():
                self._uncommitted.append((lane, effect))
            case ReportAbsence(bot, fault):
                logging.warning("%s is absent: %s", bot, fault.words)
                self._audience.absent(bot, fault)
            case ReportAbort(abort, known, is_last):
                logging.error(
                    "match %s aborted, attempt %d: %s", abort.match, abort.attempt, abort.cause
                )
                self._archive.append_abort(abort)
                if not known:
                    self._audience.aborted(abort)
                if is_last:
                    self._given_up[abort.match] = abort
            case Warn(text):
                logging.error("%s", text)

    def ended(self, unlogged: str) -> Progress:
        """Store, publish and return how far the run came."""
        if self._is_interrupted():
            self._director.end(RunPhase.INTERRUPTED)
        else:
            self._director.is_due()  # only a walk that goes on finds that there is no next match
        complete = self._plan.complete
        phase = self._director.phase
        stop = None
        if phase is not RunPhase.INTERRUPTED:
            is_late = phase is RunPhase.LATE
            stop = self._plan.stop(late=is_late)
        self._plan.store_batches()
        self._archive.append_stop(stop)

        finished = self._plan.finished
        if complete:
            planned = finished
        else:
            planned = self._plan.total
        played = self._played.total()
        self._control.publish(planned, finished, played, complete=complete)
        self._control.close()
        return Progress(
            planned=planned,
            finished=finished,
            complete=complete,
            phase=phase,
            stop=stop,
            failed=tuple(self._given_up.values()),
            unlogged=unlogged,
        )

    def _next(self) -> Work | None:
        """Return the next work for a lane; None when none can begin now."""
        self._is_ending()  # it ends the director when the time of the run is over
        work = self._director.next_work()
        while isinstance(work, Commit):
            self._commit()
            work = self._director.next_work()
        return work

    def _is_ending(self) -> bool:
        """Return whether no more matches are begun, though matches may be under way."""
        if self._until is not None and self._until.is_over():
            self._director.end(RunPhase.LATE)
        if self._control.halt_requested:
            self._director.end(RunPhase.HALTED)
        return self._director.phase is not RunPhase.PLAYING

    def _commit(self) -> None:
        """Store the records that came back, in one transaction; then count and report them."""
        committed = self._uncommitted
        self._uncommitted = []
        if committed:
            records = [record for _, record in committed]
            self._archive.append(*records)
            self._commit_due = time.monotonic() + COMMIT_S
        self._director.committed()
        for lane, record in committed:
            self._plan.done(record.match.id)
            self._played[lane] += 1
            self._audience.finished(record)
        self._plan.store_batches()

    def _statuses(self, lanes: tuple[Lane, ...]) -> list[LaneStatus]:
        """Return the present work of each lane, for other processes."""
        statuses = []
        for lane in lanes:
            status = LaneStatus(
                lane=lane.name,
                machine=lane.machine,
                played=self._played[lane.name],
                state=lane.state,
            )
            if isinstance(lane.item, Work):
                match = lane.item.match
                seconds = time.monotonic() - lane.since
                since = datetime.now(UTC) - timedelta(seconds=seconds)
                status = replace(
                    status,
                    match=match.id,
                    board=match.label,
                    bots=tuple(seat.bot.name for seat in match.seats),
                    since=since.isoformat(timespec="milliseconds"),
                )
            statuses.append(status)
        return statuses
