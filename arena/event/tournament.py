"""One run of an event: play the matches that are due, store them, repeat.

It decides the order of things, and what happens to a match that arena itself fails to play.
"""

# Theory of operation
#
# What is due. The schedule is a pure function of the event and of the ids on disk: it returns the next matches that are
# planned and not stored. So resuming needs no state of its own; it is the same call with a longer history.
#
# Lanes. workers.py plays matches in forked referee processes, one a lane, each with a short queue. This process plays
# nothing. It gives out matches, stores records and talks to the audience, all in its main thread. It alone writes to
# the archive, because SQLite connections must not cross a fork.
#
# Committed before reported. A record that comes back waits in `_ended`. Before the next match is given out, all waiting
# records are committed in one transaction; then they count as done and the audience hears of them. So whatever a user
# was told is on disk, also after a power cut. One transaction holds what one look at the lanes brought: the slower the
# disk, the larger the batches, and no timer is needed.
#
# Roll call. Before the first match every bot says `ready` once, in the seat of its first match. A bot that fails twice
# is absent: all its matches are forfeited without starting it, so that a bot with a typing error costs the event
# its start time once and not in every match. Twice, so that one start on a busy machine costs no bot the event.
#
# A match that arena failed is an abort: it gives no points and stays due. Three kinds:
#
#   InterferenceError  Somebody else killed or stopped a bot (an operator, the kernel for want of memory).
#   OverloadedError    The machine kept a bot waiting too long to time it fairly.
#   any other failure  A bug of arena, or a referee process that was killed.
#
# For the first two the match goes to the end of the queue, when the trouble may have passed; for the third it is played
# again at once. After ATTEMPTS aborts it is given up for this run and reported; the next run tries again. A match that
# is given up because of the third kind also stops the run, since other matches would meet the same bug. A match that is
# given up because of the machine does not: one bot that always naps on a busy core must not cost the others their
# matches. A MachineError (no more disk, memory or processes) ends the run at once, because no other match would go
# better.
#
# Excuses. A kill from outside is nobody's fault, so the match is replayed. But a bot could arrange such a kill itself
# to escape a match that it is about to lose. So each bot is excused EXCUSES times a run, and later kills are its own
# fault. When more than half of the bots were hit the machine is the cause, and all bots stay excused.
#
# Ctrl-C. `stopped` is looked at by workers.py ten times a second. Matches under way are dropped with their processes:
# they are still due, so nothing is lost but their time. Records that already came back are still committed.

import contextlib
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from arena.errors import ArenaError, MachineError, refusal
from arena.event import builds, copies, schedules
from arena.event.logs import Log
from arena.event.workers import Workers
from arena.match.bot import InterferenceError, OverloadedError
from arena.match.play import play, roll_call
from arena.match.process_reuse import reused_bots_of
from arena.results.archive import Archive
from arena.sandbox import cores
from arena.sandbox.exposure import refuse_exposed
from arena.sandbox.launcher import Launcher
from arena.values import Abort, Event, Fault, Match, Record, Seat

ATTEMPTS = 3  # at one match in a run
CALLS = 2  # of one bot, before its matches are forfeited unplayed
EXCUSES = 2  # of one bot in a run, for being killed or stopped by somebody else

Order = tuple[Match, dict[str, Fault], frozenset[str]]
"""A match for a lane, its absent bots with their faults, and the names of its excused bots."""


class Audience(Protocol):
    """An observer of an event that is played; every method is called in the main thread."""

    def begins(self, planned: int, finished: int) -> None:
        """Take note that so many matches are planned, of which so many are already on disk."""

    def absent(self, bot: str, fault: Fault) -> None:
        """Take note that this bot never said `ready`: its matches are forfeited."""

    def finished(self, record: Record) -> None:
        """Take note that this match is over, and stored."""

    def aborted(self, abort: Abort) -> None:
        """Take note that arena failed this match."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run of an event came."""

    planned: int
    finished: int
    stopped: bool
    """True when it was told to stop before all was played."""
    failed: tuple[Abort, ...] = ()
    """The last abort of each match that was given up."""
    unlogged: str = ""
    """The reason why lines are missing in its log, if any are."""

    @property
    def complete(self) -> bool:
        """True if every planned match is on disk."""
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
        private = (folder, *(Path(bot.files) for bot in event.bots if bot.files is not None))
        refuse_exposed(private, event.bots, event.conditions.sandbox)
        event = copies.copy_bots(event, folder / "bots")
        event = replace(event, bots=builds.built(event.bots, folder.parent / ".builds", event.conditions.sandbox))
        plan = {match.id for match in schedule.plan(event)}
        archive.begin(event, plan)
        run = _Run(event, archive, schedule, plan, audience)
        unlogged = ""
        audience.begins(len(plan), len(run.done))
        if run.done != plan:
            try:
                log = Log(folder / "logs")
            except OSError as error:
                raise ArenaError(f"{folder / 'logs'}: cannot be written: {error.strerror}; move it away") from error

            def before_fork() -> None:
                archive.close()  # SQLite must not cross a fork; the archive opens again by itself
                log.renew()

            try:
                pinned = cores.should_pin(pin, event, workers, len(cores.available()))
                with Workers(workers, pin=pinned, before_fork=before_fork, stopped=stopped) as lanes:
                    run.roll_call(lanes)
                    run.play_all(lanes)
            finally:
                log.close()
            if log.failure is not None:
                unlogged = f"{folder / 'logs'}: lines are missing in its log: {log.failure.strerror}"
        return Progress(
            planned=len(plan),
            finished=len(run.done),
            stopped=stopped(),
            failed=tuple(run.given_up.values()),
            unlogged=unlogged,
        )


def _refuse_another_level(archive: Archive, event: Event) -> None:
    """Raise ArenaError when earlier matches of this event were played at another level of confinement."""
    if not archive.ids():
        return
    before, now = archive.event().conditions.sandbox, event.conditions.sandbox
    if before != now:
        raise ArenaError(
            f"{archive.folder}: was played at the level {before!r}, and this run would be at {now!r}, which does not "
            f"compare: say --sandbox {before}, or play under another --name"
        )


class _Run:
    """One run of an event: the matches that are done, under way, and given up."""

    def __init__(
        self, event: Event, archive: Archive, schedule: schedules.Schedule, plan: set[str], audience: Audience
    ) -> None:
        self._event, self._archive, self._schedule, self._audience = event, archive, schedule, audience
        self._absent: dict[str, Fault] = {}
        self._queue: deque[Match] = deque()
        self._under_way: set[str] = set()
        self._ended: list[Record] = []
        """Records that came back and are not committed yet."""
        self._attempts: Counter[str] = Counter()
        self._interfered: Counter[str] = Counter()
        """How often each bot was killed or stopped by somebody else."""
        self._broken = False
        """True once a match was given up because of the third kind of failure, a bug or a killed referee process: no
        more matches are begun."""
        self.done = archive.ids() & plan
        self.given_up: dict[str, Abort] = {}

    def roll_call(self, lanes: Workers) -> None:
        """Have each bot that is to play say `ready`; a bot that fails twice is absent from the whole event."""
        first: dict[str, tuple[Match, Seat]] = {}
        for match in self._schedule.plan(self._event):
            if match.id not in self.done:
                for seat in match.seats:
                    first.setdefault(seat.bot.name, (match, seat))
        waiting = deque(first.values())
        missed: Counter[str] = Counter()

        def following() -> tuple[Match, Seat, frozenset[str]] | None:
            if not waiting:
                return None
            match, seat = waiting.popleft()
            return match, seat, self._excused([seat.bot.name])

        for done in lanes.map(_call, following):
            match, seat, _ = done.item
            name = seat.bot.name
            if isinstance(done.error, InterferenceError):
                self._interfered[name] += 1
                logging.error("roll call of %s", done.error)
                if self._interfered[name] <= EXCUSES:
                    waiting.append((match, seat))
            elif isinstance(done.error, MachineError):
                raise done.error
            elif done.failure:
                logging.error("roll call of %s: %s", name, done.failure)
            elif done.result is not None:
                missed[name] += 1
                if missed[name] < CALLS:
                    waiting.append((match, seat))
                else:
                    self._absent[name] = done.result
                    logging.warning("%s is absent: %s", name, done.result.words)
                    self._audience.absent(name, done.result)

    def play_all(self, lanes: Workers) -> None:
        """Play what is due until nothing is; play a match that arena failed again, a few times."""
        try:
            for done in lanes.map(_play, self._next):
                match = done.item[0]
                if done.result is not None:
                    self._ended.append(done.result)
                    continue
                self._under_way.discard(match.id)
                if isinstance(done.error, MachineError):
                    raise done.error
                self._abort(match, done.error, done.failure)
        finally:
            self._commit()

    def _next(self) -> Order | None:
        """Return the next match for a lane, None when no match can begin now."""
        self._commit()  # first, because the schedule depends on what is done
        if not self._queue:
            busy = self._under_way | self.given_up.keys()
            self._queue.extend(match for match in self._schedule.due(self._event, self.done) if match.id not in busy)
        if not self._queue or self._broken:
            return None
        match = self._queue.popleft()
        self._under_way.add(match.id)
        names = {seat.bot.name for seat in match.seats}
        return match, {name: fault for name, fault in self._absent.items() if name in names}, self._excused(names)

    def _commit(self) -> None:
        """Store the records that came back, as one batch; only then are they done, and reported."""
        ended, self._ended = self._ended, []
        if ended:
            self._archive.append(*ended)
        for record in ended:
            self._under_way.discard(record.match.id)
            self.done.add(record.match.id)
            self._audience.finished(record)

    def _excused(self, names: Iterable[str]) -> frozenset[str]:
        """Return those of these bots that are not to blame when somebody else kills or stops them."""
        if 2 * len(self._interfered) > len(self._event.bots):
            return frozenset(names)
        return frozenset(name for name in names if self._interfered[name] < EXCUSES)

    def _abort(self, match: Match, error: BaseException | None, cause: str) -> None:
        """Store and report that arena failed this match, and queue it again or give it up."""
        if isinstance(error, InterferenceError):
            self._interfered[error.bot] += 1
            cause = str(error)
        elif error is not None and (advice := refusal(error)) is not None:
            cause = f"{cause}{advice}"
        self._attempts[match.id] += 1
        abort = Abort(match=match.id, cause=cause, attempt=self._attempts[match.id])
        logging.error("match %s aborted, attempt %d: %s", match.id, abort.attempt, cause)
        self._archive.append_abort(abort)
        self._audience.aborted(abort)
        by_machine = isinstance(error, (InterferenceError, OverloadedError))
        if abort.attempt >= ATTEMPTS:
            self.given_up[match.id] = abort
            self._broken |= not by_machine
        elif by_machine:
            self._queue.append(match)
        else:
            self._queue.appendleft(match)


def _call(launcher: Launcher, item: tuple[Match, Seat, frozenset[str]]) -> Fault | None:
    """Have one bot say `ready`, in a worker."""
    match, seat, excused = item
    return roll_call(match, seat, launcher, blameless=excused)


def _play(launcher: Launcher, item: Order) -> Record:
    """Play one match, in a worker."""
    match, absent, excused = item
    reused = reused_bots_of(launcher) if match.conditions.keep else None
    with contextlib.ExitStack() as on_failure:
        if reused is not None:
            on_failure.callback(reused.close)  # the bots that stay are its launcher's, which is about to be closed
        record = play(match, launcher=launcher, earlier_faults=absent, reused=reused, blameless=excused)
        on_failure.pop_all()
    logging.info("match %s %s: %s %s", match.id, match.label, record.verdict.reason, dict(record.verdict.scores))
    return record
