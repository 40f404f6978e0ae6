"""One run of an event: play the matches that are due, store them, repeat.

It decides the order of things, and what happens to a match that arena itself fails to play.
"""

# Theory of operation
#
# What is due. plan.py walks the matches of the schedule, lazily, and skips what is stored. So resuming needs no state
# of its own: it is the same walk with more on disk. Where the next batch depends on matches that are not done yet,
# nothing is given out until they are. A match that is given up leaves its batch incomplete, so that a batch that
# depends on it is not begun: the run ends, and the next run tries again.
#
# Lanes. workers.py plays matches in forked referee processes, one a lane, each with a short queue. This process plays
# nothing. It gives out matches, stores records and talks to the audience, all in its main thread. It alone writes to
# the archive, because SQLite connections must not cross a fork.
#
# Committed before reported. A record that comes back waits in `_ended`. All that wait are committed in one transaction,
# COMMIT_S after the last one, and only then they count as done and the audience hears of them. So whatever a user was
# told is on disk, also after a power cut. A transaction for each record would cost an fsync for each. Where the plan
# cannot go on without results, all that came back is committed at once, and the plan is asked again.
#
# Roll call. Before its first match every bot says `ready` once, in its seat of that match, which waits for it. A bot
# that fails twice is absent: all its matches are forfeited without starting it, so that a bot with a typing error costs
# the event its start time once and not in every match. Twice, so that one start on a busy machine costs no bot the
# event. There is no roll call of all bots before the event, because that of a thousand takes half a minute, and because
# nobody knows at the start which bots a later batch needs.
#
# A match that arena failed is an abort: it gives no points and stays due. Four kinds:
#
#   InterferenceError  Somebody else killed or stopped a bot (an operator, the kernel for want of memory).
#   OverloadedError    The machine kept a bot waiting too long to time it fairly.
#   any other failure  A bug of arena, or a referee process that was killed.
#   LostError          The machine of a cluster was lost.
#
# For the first two the match goes to the end of the queue, when the trouble may have passed; for the others it is
# played again at once. After ATTEMPTS aborts it is given up for this run and reported; the next run tries again. Lost
# machines are counted apart, up to LOSSES, because a machine takes many matches with it, which are not to blame. A
# match that is given up because of the third kind also stops the run, since other matches would meet the same bug. A
# match that is given up because of a machine does not: one bot that always naps on a busy core must not cost the
# others their matches. A MachineError (no more disk, memory or processes) ends the run at once, because no other match
# would go better.
#
# Excuses. A kill from outside is nobody's fault, so the match is replayed. It counts as such only where the bot cannot
# have done it itself (match/bot). But a bot could still take so much memory that the kernel kills it when that runs
# out. So each bot is excused EXCUSES times a run, and later kills are its own fault. When more than half of the bots
# were hit the machine is the cause, and all bots stay excused.
#
# `stop_after`. After so many seconds no match is begun; those under way are finished and stored. A match that waits in
# a lane's queue knows the end, too, and comes back as it is: a future that a pool has passed on cannot be cancelled.
# The time is that of the wall clock, because a worker on another machine shares no other clock; the first clock by
# which it is over ends the run. This is the only rule by which two runs of the same event differ, as clocks do. The
# other rules are part of the plan.
#
# `arena stop`. Another process asks for the end by a file (control.py). From then on no match is begun, as after
# `stop_after`; those under way are finished and stored.
#
# Ctrl-C. `stopped` is looked at by workers.py ten times a second. Matches under way are dropped with their processes:
# they are still due, so nothing is lost but their time. Records that already came back are still committed.

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from arena.errors import ArenaError, MachineError, refusal
from arena.event import builds, copies, plan, schedules
from arena.event.control import Control, LaneStatus
from arena.event.logs import Log
from arena.event.workers import Done, Lane, Lanes, LostError, NotBegun, Workers
from arena.match.bot import InterferenceError, OverloadedError
from arena.match.play import play, roll_call
from arena.match.process_reuse import reused_bots_of
from arena.results.archive import Archive
from arena.sandbox import cores
from arena.sandbox.exposure import refuse_exposed
from arena.sandbox.launcher import Launcher
from arena.values import Abort, Event, Fault, Match, Record, Seat, Stop

ATTEMPTS = 3  # at one match in a run
LOSSES = 10  # of the machines that were to play one match in a run
CALLS = 2  # of one bot, before its matches are forfeited unplayed
EXCUSES = 2  # of one bot in a run, for being killed or stopped by somebody else

COMMIT_S = 0.1  # between two transactions while the plan does not need their records
HELD_MOST = 64  # matches that wait for a roll call; while so many do, the lanes wait, too


@dataclass(frozen=True)
class _Call:
    """A roll call for a lane: a match, the seat of it that has to say `ready`, and the names of excused bots."""

    match: Match
    seat: Seat
    excused: frozenset[str]
    until: float | None
    """The time after which it must not begin, as `time.time` has it."""


@dataclass(frozen=True)
class _Order:
    """A match for a lane, its absent bots with their faults, and the names of its excused bots."""

    match: Match
    absent: dict[str, Fault]
    excused: frozenset[str]
    until: float | None


_Work = _Call | _Order
_Result = Fault | Record | NotBegun | None


class OpenCluster(Protocol):
    """Opens the lanes of a cluster for a run, such as `cluster.driver.Cluster` with its address."""

    def __call__(
        self,
        event: Event,
        logs: Path,
        *,
        pairing: Callable[[Any], Hashable],
        is_forfeit: Callable[[Any], bool],
        pin: bool | None,
        stopped: Callable[[], bool],
        ending: Callable[[], bool],
    ) -> AbstractContextManager[Lanes]:
        """Return lanes whose machines write their logs to the folder `logs`.

        `stopped`: drop everything. `ending`: give nothing more out, and wait for what was given out.
        """
        ...


class Audience(Protocol):
    """An observer of an event that is played; every method is called in the main thread."""

    def begins(self, planned: int, finished: int) -> None:
        """Take note that so many matches are planned, or at most so many, of which so many are already on disk."""

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
    """Exact once the event is complete; before, it is a bound where results decide how many matches there are."""
    finished: int
    complete: bool
    """True if every planned match is on disk."""
    stopped: bool
    """True when it was told to stop before all was played."""
    halted: bool = False
    """True when another process had asked it to finish what it played, and to end (`arena stop`)."""
    stop: Stop | None = None
    """Why the event ended, where one of its rules says when."""
    failed: tuple[Abort, ...] = ()
    """The last abort of each match that was given up."""
    unlogged: str = ""
    """The reason why lines are missing in its log, if any are."""


def run(
    event: Event,
    folder: Path,
    *,
    workers: int,
    audience: Audience,
    pin: bool | None = None,
    stopped: Callable[[], bool] = lambda: False,
    cluster: "OpenCluster | None" = None,
) -> Progress:
    """Play all of the event that is not yet in `folder`; `pin` keeps each lane on one core, None = where it pays.

    With a `cluster`, its machines play instead of `workers` referee processes here.
    """
    until = None if event.stop_after is None else time.time() + event.stop_after
    with Archive.open(folder, writing=True) as archive:
        _refuse_another_level(archive, event)
        refuse_exposed((folder,), event.bots, event.conditions.sandbox)
        event = copies.copy_bots(event, folder / "bots")
        if cluster is None:  # the machines of a cluster build the bots themselves
            event = replace(event, bots=builds.built(event.bots, folder.parent / ".builds", event.conditions.sandbox))
        stored = (match.id for match in plan.stored(event, archive))
        archive.begin(event, plan.key(event), lambda: stored)
        control = Control(folder, archive.token)
        run = _Run(event, archive, audience, until, control)
        unlogged = ""
        audience.begins(run.planned, run.finished)
        if run.is_due():
            try:
                log = Log(folder / "logs")
            except OSError as error:
                raise ArenaError(f"{folder / 'logs'}: cannot be written: {error.strerror}; move it away") from error

            def before_fork() -> None:
                archive.close()  # SQLite must not cross a fork; the archive opens again by itself
                log.renew()

            try:
                pinned = cores.should_pin(pin, event, workers, len(cores.available()))

                def stopped_by_now() -> bool:  # is called ten times a second, and whenever a match has ended
                    run.commit_if_due()
                    control.look(
                        lambda: (run.planned, run.finished, run.played.total(), run.lane_statuses(lanes.lanes()))
                    )
                    return stopped()

                with (
                    Workers(workers, pin=pinned, before_fork=before_fork, stopped=stopped_by_now)
                    if cluster is None
                    else cluster(
                        event,
                        folder / "logs",
                        pairing=_pairing,
                        is_forfeit=_is_forfeit,
                        pin=pin,
                        stopped=stopped_by_now,
                        ending=run.is_ending,
                    )
                ) as lanes:
                    run.play_all(lanes)
            finally:
                log.close()
            if log.failure:
                unlogged = f"{folder / 'logs'}: lines are missing in its log: {log.failure}"
        progress = run.ended(stopped=stopped(), unlogged=unlogged)
        control.publish(progress.planned, progress.finished, run.played.total(), complete=progress.complete)
        control.close()
        return progress


def _refuse_another_level(archive: Archive, event: Event) -> None:
    """Raise ArenaError when earlier matches of this event were played at another level of confinement."""
    if not archive.count(all_versions=True):
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
        self, event: Event, archive: Archive, audience: Audience, until: float | None, control: Control
    ) -> None:
        self._event, self._archive, self._audience, self._until = event, archive, audience, until
        self._control = control
        self.planned = schedules.total(event)
        """How many matches are planned, or at most so many."""
        self.played: Counter[str] = Counter()
        """How many matches of each lane were stored in this run."""
        self._plan = plan.Plan(event, archive)
        self._walk = self._plan.walk()
        self._batch: dict[str, int] = {}
        """The batch of each match that was walked and is not stored."""
        self._queue: deque[Match] = deque()
        """Matches that may begin before the walk goes on."""
        self._postponed: deque[Match] = deque()
        """Matches that are played again when the walk has nothing else."""
        self._calls: deque[tuple[Match, Seat]] = deque()
        """Seats whose bots are to say `ready`."""
        self._called: dict[str, bool] = {}
        """The bots of which a roll call was taken; False while it is not over."""
        self._held: list[Match] = []
        """Matches that wait for a roll call, in order."""
        self._absent: dict[str, Fault] = {}
        self._missed: Counter[str] = Counter()
        self._ended: list[tuple[str, Record]] = []
        """Records that came back and are not committed yet, each with its lane."""
        self._commit_due = 0.0
        """The time (monotonic) from which on they are to be committed."""
        self._attempts: Counter[str] = Counter()
        """How often arena failed each match, lost machines apart."""
        self._losses: Counter[tuple[str, str]] = Counter()
        """How often the machine of a match, or of a bot's roll call, was lost."""
        self._interfered: Counter[str] = Counter()
        """How often each bot was killed or stopped by somebody else."""
        self._late_elsewhere = False
        """True once `stop_after` is over by the clock of another machine."""
        self._met_a_bug = False
        """True once a match was given up because of the third kind of failure, a bug or a killed referee process: no
        more matches are begun."""
        self.finished = archive.count()
        self._given_up: dict[str, Abort] = {}

    def is_due(self) -> bool:
        """Return whether any match is to be played."""
        self._fill()
        return bool(self._queue)

    def is_ending(self) -> bool:
        """Return whether no more matches are begun, though some may be under way."""
        return self._met_a_bug or self._control.halt_requested or self._is_late()

    def play_all(self, lanes: Lanes) -> None:
        """Play what is due until nothing is; play a match that arena failed again, a few times."""
        try:
            results: Iterator[Done[_Work, _Result]] = lanes.map(_perform, self._next)
            for done in results:
                item = done.item
                if isinstance(done.error, MachineError):
                    raise done.error
                if isinstance(done.result, NotBegun):
                    # A lane on another machine may have a clock that is ahead. It would refuse the same work again
                    # and again, so its time counts.
                    self._late_elsewhere |= not self.is_ending()
                    if isinstance(item, _Call):
                        self._calls.appendleft((item.match, item.seat))
                    else:
                        self._queue.appendleft(item.match)
                elif isinstance(item, _Call):
                    self._note_roll_call(item, done)
                elif isinstance(done.result, Record):
                    self._ended.append((done.lane, done.result))
                else:
                    self._abort(item.match, done.error, done.failure)
        finally:
            self._commit()

    def ended(self, *, stopped: bool, unlogged: str) -> Progress:
        """Store and return how far the run came."""
        if not stopped:
            self._fill()  # only a walk that goes on finds that there is no next match
        complete = self._plan.complete
        stop = None if stopped else plan.stop_of(self._event, self._plan, self.finished, late=self._is_late())
        self._archive.append_stop(stop)
        return Progress(
            planned=self.finished if complete else self.planned,
            finished=self.finished,
            complete=complete,
            stopped=stopped,
            halted=self._control.halt_requested and not complete,
            stop=stop,
            failed=tuple(self._given_up.values()),
            unlogged=unlogged,
        )

    def lane_statuses(self, lanes: Iterable[Lane]) -> list[LaneStatus]:
        """Return what each lane is doing, for other processes to read."""
        states = []
        for lane in lanes:
            state = LaneStatus(lane=lane.name, machine=lane.machine, played=self.played[lane.name], state=lane.state)
            if isinstance(lane.item, _Call | _Order):
                match, age = lane.item.match, timedelta(seconds=time.monotonic() - lane.since)
                state = replace(
                    state,
                    match=match.id,
                    board=match.label,
                    bots=tuple(seat.bot.name for seat in match.seats),
                    since=(datetime.now(UTC) - age).isoformat(timespec="milliseconds"),
                )
            states.append(state)
        return states

    def _next(self) -> _Work | None:
        """Return the next work for a lane, None when none can begin now."""
        while not self.is_ending():
            if self._calls:
                match, seat = self._calls.popleft()
                return _Call(match, seat, self._excused([seat.bot.name]), self._until)
            if not self._queue and len(self._held) >= HELD_MOST:
                return None
            self._fill()
            if not self._queue:
                return None
            match = self._queue.popleft()
            for seat in match.seats:
                if seat.bot.name not in self._called:
                    self._called[seat.bot.name] = False
                    self._calls.append((match, seat))
            if self._is_called(match):
                names = {seat.bot.name for seat in match.seats}
                absent = {name: fault for name, fault in self._absent.items() if name in names}
                return _Order(match, absent, self._excused(names), self._until)
            self._held.append(match)
        return None

    def _fill(self) -> None:
        """Walk on to the next match that is not stored, if none is queued."""
        stored: list[str] = []
        while not self._queue:
            planned = next(self._walk, None)
            if planned is not None and not planned.stored:
                self._batch[planned.match.id] = planned.batch
                self._queue.append(planned.match)
            elif planned is not None:
                stored.append(planned.match.id)
            if stored and (planned is None or self._queue or len(stored) >= plan.LOOK_UP):
                # A batch that depends on results may plan matches that an earlier plan had played.
                self.finished += self._archive.mark_planned(stored)
                stored.clear()
            if planned is None and self._ended:
                self._commit()  # the plan may depend on it
            elif planned is None:
                if self._postponed:
                    self._queue.append(self._postponed.popleft())
                return

    def _is_called(self, match: Match) -> bool:
        """Return whether the roll call of all bots of a match is over."""
        return all(self._called[seat.bot.name] for seat in match.seats)

    def _is_late(self) -> bool:
        """Return whether `stop_after` is over."""
        return self._late_elsewhere or _is_over(self._until)

    def _note_roll_call(self, call: _Call, done: Done[_Work, _Result]) -> None:
        """Take note of how a roll call went."""
        name, again = call.seat.bot.name, False
        if isinstance(done.error, InterferenceError):
            self._interfered[name] += 1
            logging.error("roll call of %s", done.error)
            again = self._interfered[name] <= EXCUSES
        elif isinstance(done.error, LostError):
            self._losses["call", name] += 1
            logging.error("roll call of %s: %s", name, done.failure)
            again = self._losses["call", name] < LOSSES
        elif done.failure:
            logging.error("roll call of %s: %s", name, done.failure)
        elif isinstance(done.result, Fault):
            self._missed[name] += 1
            again = self._missed[name] < CALLS
            if not again:
                self._absent[name] = done.result
                logging.warning("%s is absent: %s", name, done.result.words)
                self._audience.absent(name, done.result)
        if again:
            self._calls.append((call.match, call.seat))
            return
        self._called[name] = True
        self._queue.extendleft(reversed([match for match in self._held if self._is_called(match)]))
        self._held = [match for match in self._held if not self._is_called(match)]

    def commit_if_due(self) -> None:
        """Store and report the records that came back, unless others were stored just now."""
        if self._ended and time.monotonic() >= self._commit_due:
            self._commit()

    def _commit(self) -> None:
        """Store the records that came back, as one batch; only then are they done, and reported."""
        ended, self._ended = self._ended, []
        if ended:
            self._archive.append(*(record for _, record in ended))
            self._commit_due = time.monotonic() + COMMIT_S
        for lane, record in ended:
            self._plan.done(self._batch.pop(record.match.id))
            self.played[lane] += 1
            self.finished += 1
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
        lost = isinstance(error, LostError)
        if lost:
            self._losses["match", match.id] += 1
        else:
            self._attempts[match.id] += 1
        attempts, losses = self._attempts[match.id], self._losses["match", match.id]
        abort = Abort(match=match.id, cause=cause, attempt=attempts + losses)
        logging.error("match %s aborted, attempt %d: %s", match.id, abort.attempt, cause)
        self._archive.append_abort(abort)
        if not lost:  # a cluster says once what it lost with a machine
            self._audience.aborted(abort)
        by_machine = isinstance(error, (InterferenceError, OverloadedError))
        if losses >= LOSSES or attempts >= ATTEMPTS:
            self._given_up[match.id] = abort
            self._met_a_bug |= not (by_machine or lost)
        elif by_machine:
            self._postponed.append(match)
        else:
            self._queue.appendleft(match)


def _is_over(until: float | None) -> bool:
    return until is not None and time.time() >= until


def _pairing(work: _Work) -> Hashable:
    """Return what all legs of a pairing with the same repeat have in common; None for a roll call."""
    if isinstance(work, _Call):
        return None
    return work.match.label, work.match.repeat, frozenset(seat.bot.name for seat in work.match.seats)


def _is_forfeit(work: _Work) -> bool:
    """Return whether a bot of a match is absent."""
    return isinstance(work, _Order) and bool(work.absent)


def _perform(launcher: Launcher, item: _Work) -> _Result:
    """Have one bot say `ready`, or play one match, in a worker."""
    if _is_over(item.until):
        return NotBegun()
    match = item.match
    if isinstance(item, _Call):
        return roll_call(match, item.seat, launcher, blameless=item.excused)
    try:
        record = play(match, launcher=launcher, earlier_faults=item.absent, blameless=item.excused)
    except BaseException:
        reused_bots_of(launcher).close()  # the bots that stay are its launcher's, which is about to be closed
        raise
    logging.info("match %s %s: %s %s", match.id, match.label, record.verdict.reason, dict(record.verdict.scores))
    return record
