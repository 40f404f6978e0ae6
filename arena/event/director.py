"""One run of an event as a state machine: `next_work`, `heard`, `end`.

The director decides which match or roll call is next, and what follows when one of them is done or
when arena itself failed it. It has no process, no clock and no file: the shell around it
(tournament.py) carries work to the lanes, reports the results to it, and performs its effects.
"""

# Theory of operation
#
# Roll call. Before its first match every bot says `ready` once, in its seat of that match, which
# waits for it. A bot that fails twice is absent: all its matches are forfeited without starting it,
# so that a bot with a typing error costs the event its start time once and not in every match. It
# may fail once, so that one slow start on a busy machine costs no bot the event. There is no roll
# call of all bots before the event, because that of a thousand takes half a minute, and because
# nobody knows at the start which bots a later batch needs.
#
# A match that arena failed is an abort: it gives no points and stays due. Five kinds:
#
#   InterferenceError   Somebody else killed or stopped a bot: an operator, or the kernel when
#                       memory ran out.
#   OverloadedError     The machine kept a bot waiting too long to time it fairly.
#   OutsideError        Somebody outside could not serve it, such as the provider of a language
#                       model.
#   LostError           The machine of a cluster was lost.
#   any other failure   Arena has a bug, or a referee process was killed.
#
# For the first three the match goes to the end of the queue, because the trouble may have passed by
# then; for the others it is played again at once. After ATTEMPTS aborts it is given up for this run
# and reported; the next run tries again. Lost machines are counted separately, up to LOSSES,
# because a lost machine takes many matches with it, which are not to blame. A match that is given
# up because of any other failure also ends the run, since other matches would meet the same bug. A
# match that is given up because of a machine or a provider does not end the run: one bot that
# always sleeps on a busy core must not take the matches of the other bots away. A MachineError (no
# more disk, memory or processes) fails the run at once, because no other match would go better.
# When a match finds a budget of the event used up (SpentError), that is no abort: the match stays
# due, and the run begins no more matches.
#
# Excuses. A kill from outside is nobody's fault, so the match is played again. A kill counts as one
# from outside only where the bot cannot have done it itself (match/bot). A bot could still take so
# much memory that the kernel kills it. So each bot is excused EXCUSES times a run, and later kills
# are its own fault. When more than half of the bots were hit, the machine is the cause, and all
# bots stay excused.

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from arena.errors import MachineError, OutsideError, SpentError, refusal
from arena.event.end_time import EndTime
from arena.event.workers import Done, LostError, NotBegun
from arena.match.bot import InterferenceError, OverloadedError
from arena.values import Abort, Fault, Match, Record, Seat

ATTEMPTS = 3
"""The attempts at one match in a run."""
LOSSES = 10
"""The number of machines that may be lost with one match in a run."""
ROLL_CALLS = 2
"""The roll calls of one bot, before its matches are forfeited unplayed."""
EXCUSES = 2
"""How often one bot is excused in a run for being killed or stopped by somebody else."""
PASSING_ERRORS = InterferenceError, OverloadedError, OutsideError
"""Failures of a machine or a provider, which may pass."""
HELD_MOST = 64
"""The number of matches that wait for a roll call; while that many wait, the lanes wait, too."""


class RunPhase(Enum):
    """What a run is doing, or why it begins no more matches."""

    PLAYING = "playing"
    LATE = "late"
    """`stop_after` is over."""
    HALTED = "halted"
    """Another process asked for the end (`arena stop`)."""
    BROKEN = "broken"
    """A match was given up because of a bug of arena or a killed referee process."""
    SPENT = "spent"
    """A budget of the event is used up, such as that for its language model."""
    INTERRUPTED = "interrupted"
    """Its user ended it (Ctrl-C, a signal): matches under way are dropped."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Work for a lane: a match, or the roll call of one of its seats."""

    match: Match
    called: Seat | None = None
    """The seat that has to say `ready`; None for the match itself."""
    absent: Mapping[str, Fault] = field(default_factory=dict)
    """The absent bots of the match with their faults."""
    excused: frozenset[str] = frozenset()
    """The bots of the match that are not to blame when somebody else kills or stops them."""
    until: EndTime | None = None
    """The time after which it must not begin."""

    @property
    def pairing(self) -> Hashable:
        """The key of all legs of a pairing with the same repeat; None for a roll call."""
        if self.called is not None:
            return None
        bots = frozenset(seat.bot.name for seat in self.match.seats)
        return self.match.label, self.match.repeat, bots


@dataclass(frozen=True)
class Commit:
    """Store all records that came back, since the plan may depend on them, and ask again."""


@dataclass(frozen=True)
class ReportAbsence:
    """Report that this bot never said `ready`."""

    bot: str
    fault: Fault


@dataclass(frozen=True)
class ReportAbort:
    """Store that arena failed a match, and report it."""

    abort: Abort
    known: bool
    """True when the audience knows why: a cluster reports once what it lost with a machine."""
    is_last: bool
    """True when the match is given up: it is played no more in this run."""


@dataclass(frozen=True)
class Warn:
    """Write a line into the log."""

    text: str


Effect = Record | ReportAbsence | ReportAbort | Warn
"""A record is stored soon, with others, and reported when it is stored."""


class RollCall:
    """The bots that were called, are being called, or are absent, and the matches that wait."""

    def __init__(self) -> None:
        self.absent: dict[str, Fault] = {}
        self.due: deque[tuple[Match, Seat]] = deque()
        """The seats whose bots are to say `ready`, with their matches."""
        self._is_over: dict[str, bool] = {}
        """The bots of which a roll call was begun; False while it is not over."""
        self._missed: Counter[str] = Counter()
        """How often each bot did not say `ready`."""
        self.held: list[Match] = []
        """The matches that wait for a roll call, in order."""

    def holds(self, match: Match) -> bool:
        """Return whether a match has to wait for the roll call of a bot.

        If so, keep the match, and call those of its bots that were not called before.
        """
        for seat in match.seats:
            bot = seat.bot.name
            if bot not in self._is_over:
                self._is_over[bot] = False
                self.due.append((match, seat))

        waits = self._waits(match)
        if waits:
            self.held.append(match)
        return waits

    def missed(self, bot: str, fault: Fault) -> bool:
        """Take note that a bot did not say `ready`; return whether it is absent from now on."""
        self._missed[bot] += 1
        if self._missed[bot] >= ROLL_CALLS:
            self.absent[bot] = fault
        return bot in self.absent

    def over(self, bot: str) -> list[Match]:
        """Take note that the roll call of a bot is over; return the matches that wait no more."""
        self._is_over[bot] = True
        released: list[Match] = []
        held: list[Match] = []
        for match in self.held:
            if self._waits(match):
                held.append(match)
            else:
                released.append(match)
        self.held = held
        return released

    def _waits(self, match: Match) -> bool:
        """Return whether the roll call of a bot of this match is not over."""
        return not all(self._is_over[seat.bot.name] for seat in match.seats)


class Attempts:
    """How often arena failed each match and roll call, and why; what follows from that."""

    def __init__(self, bots: int) -> None:
        self._bots = bots
        self._failures: Counter[str] = Counter()
        """How often arena failed each match, without lost machines."""
        self._losses: Counter[str] = Counter()
        """How often the machine of a match was lost; of a roll call, by `call BOT`."""
        self._interfered: Counter[str] = Counter()
        """How often each bot was killed or stopped by somebody else."""

    def excused(self, names: Iterable[str]) -> frozenset[str]:
        """Return the bots that are not to blame when somebody else kills or stops them."""
        if 2 * len(self._interfered) > self._bots:
            return frozenset(names)
        return frozenset(name for name in names if self._interfered[name] < EXCUSES)

    def match_failed(
        self,
        match: str,
        error: BaseException | None,
        cause: str,
    ) -> tuple[Abort, bool]:
        """Take note that arena failed a match; return the abort, and whether it is given up."""
        if isinstance(error, InterferenceError):
            self._interfered[error.bot] += 1
            cause = str(error)
        elif isinstance(error, OutsideError):
            cause = str(error)
        elif error is not None:
            cause += refusal(error) or ""

        if isinstance(error, LostError):
            self._losses[match] += 1
        else:
            self._failures[match] += 1
        failures = self._failures[match]
        losses = self._losses[match]
        abort = Abort(
            match=match,
            cause=cause,
            attempt=failures + losses,
        )
        is_given_up = losses >= LOSSES or failures >= ATTEMPTS
        return abort, is_given_up

    def may_call_again(self, bot: str, error: BaseException | None) -> bool:
        """Take note that arena failed the roll call of a bot; return whether to repeat it.

        If it is not repeated, the matches of the bot show what is wrong: a bug of arena is no
        reason to forfeit them.
        """
        if isinstance(error, InterferenceError):
            self._interfered[bot] += 1
            return self._interfered[bot] <= EXCUSES
        if isinstance(error, LostError):
            call = f"call {bot}"
            self._losses[call] += 1
            return self._losses[call] < LOSSES
        return False


class Director:
    """One run of an event. The caller carries work to the lanes, and the results back."""

    def __init__(
        self,
        due: Iterator[Match | None],
        *,
        bots: int,
        until: EndTime | None = None,
    ) -> None:
        """Begin a run of `bots` bots.

        `due` yields the matches of the plan that are not stored; None while nothing more is
        decided. `until` is the time after which the lanes must begin no work.
        """
        self.phase = RunPhase.PLAYING
        self._roll_call = RollCall()
        self._attempts = Attempts(bots)
        self._due = due
        self._until = until
        self._queue: deque[Match] = deque()
        """Matches that come before the remaining plan."""
        self._postponed: deque[Match] = deque()
        """Matches that come after all matches that are planned now."""
        self._uncommitted = False

    def is_due(self) -> bool:
        """Return whether any match of the plan may begin; if the queue is empty, walk on."""
        if not self._queue:
            match = next(self._due, None)
            if match is not None:
                self._queue.append(match)
        return bool(self._queue)

    def next_work(self) -> Work | Commit | None:
        """Return the next work for a lane; None when none can begin now."""
        while self.phase is RunPhase.PLAYING:
            if self._roll_call.due:
                match, seat = self._roll_call.due.popleft()
                excused = self._attempts.excused([seat.bot.name])
                return Work(
                    match=match,
                    called=seat,
                    excused=excused,
                    until=self._until,
                )

            if len(self._roll_call.held) >= HELD_MOST and not self._queue:
                return None
            if not self.is_due():
                if self._uncommitted:
                    return Commit()
                if not self._postponed:
                    return None
                postponed = self._postponed.popleft()
                self._queue.append(postponed)
            match = self._queue.popleft()
            if self._roll_call.holds(match):
                continue

            names = {seat.bot.name for seat in match.seats}
            all_absent = self._roll_call.absent
            absent = {name: fault for name, fault in all_absent.items() if name in names}
            excused = self._attempts.excused(names)
            return Work(
                match=match,
                absent=absent,
                excused=excused,
                until=self._until,
            )
        return None

    def heard(self, done: Done[Work, object]) -> list[Effect]:
        """Take note of work that is done, or that arena failed; return what follows.

        MachineError ends the run.
        """
        work = done.item
        if isinstance(done.error, MachineError):
            raise done.error
        if isinstance(done.error, SpentError):
            self.end(RunPhase.SPENT)
            self._queue.appendleft(work.match)
            return []
        if isinstance(done.result, NotBegun):
            # A lane on another machine may have a clock that is ahead. It would refuse the same
            # work again and again, so its time counts.
            self.end(RunPhase.LATE)
            if work.called is not None:
                self._roll_call.due.appendleft((work.match, work.called))
            else:
                self._queue.appendleft(work.match)
            return []

        if work.called is not None:
            return self._heard_roll_call(work.match, work.called, done)
        if isinstance(done.result, Record):
            self._uncommitted = True
            return [done.result]

        abort, is_last = self._attempts.match_failed(work.match.id, done.error, done.failure)
        is_lost = isinstance(done.error, LostError)
        may_pass = isinstance(done.error, PASSING_ERRORS)
        if is_last:
            if not (may_pass or is_lost):
                self.end(RunPhase.BROKEN)
        elif may_pass:
            self._postponed.append(work.match)
        else:
            self._queue.appendleft(work.match)
        return [ReportAbort(abort, known=is_lost, is_last=is_last)]

    def _heard_roll_call(
        self,
        match: Match,
        seat: Seat,
        done: Done[Work, object],
    ) -> list[Effect]:
        """Take note of a roll call; return what follows."""
        bot = seat.bot.name
        effects: list[Effect] = []
        call_again = False
        if done.failure:
            reason = f"{bot}: {done.failure}"
            if isinstance(done.error, InterferenceError):
                reason = str(done.error)
            effects.append(Warn(f"roll call of {reason}"))
            call_again = self._attempts.may_call_again(bot, done.error)
        elif isinstance(done.result, Fault):
            call_again = not self._roll_call.missed(bot, done.result)
            if not call_again:
                effects.append(ReportAbsence(bot, done.result))
        if call_again:
            self._roll_call.due.append((match, seat))
        else:
            released = self._roll_call.over(bot)
            self._queue.extendleft(reversed(released))
        return effects

    def committed(self) -> None:
        """Take note that all records that came back are stored."""
        self._uncommitted = False

    def end(self, phase: RunPhase) -> None:
        """Begin no more matches, for this reason, unless there was a reason before.

        An interrupt is the reason in any case, since it drops the matches under way.
        """
        if self.phase is RunPhase.PLAYING or phase is RunPhase.INTERRUPTED:
            self.phase = phase
