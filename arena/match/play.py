"""One match: a referee, and a live bot or a human in every seat.

It starts the bots, carries questions and replies, and ends the bots. It decides nothing: the referee does.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from arena import system
from arena.clock import SHORT_ANSWER_S
from arena.game import Role
from arena.games import rulebook
from arena.match import human
from arena.match.bot import LiveBot
from arena.match.bot.process import Process
from arena.match.disguise import Disguises
from arena.match.model import Calls, LanguageModel, converse
from arena.match.polling import ask_all, write_last_lines
from arena.match.process_reuse import reused_bots_of
from arena.match.referee import Referee
from arena.match.remote import RemoteSeat
from arena.protocol import MODEL, Ask, Reply
from arena.sandbox import choice
from arena.sandbox.launcher import Launcher, cleaning_up
from arena.values import Fault, Match, Record, Seat, SeatReport

Observer = Callable[[Referee], None]
"""Called after every turn, to show a match while it is played. With a human it is also called before each choice and at
the end, because chance may have moved meanwhile; it must do nothing when there is no new turn."""


def play(
    match: Match,
    *,
    launcher: Launcher | None = None,
    earlier_faults: Mapping[str, Fault] | None = None,
    observer: Observer | None = None,
    observer_is_quick: bool = False,
    blameless: Collection[str] = (),
    choose: human.Choose | None = None,
    model: LanguageModel | None = None,
) -> Record:
    """Play a match to its verdict, whatever its bots do.

    Without a `launcher` one is opened for this match alone. `earlier_faults` has the bots that failed the roll call, by
    name: their seats are at fault before the first turn, and they are not started. `observer_is_quick`: nobody stops
    between two turns to look, so that bots may be frozen late as without an observer. `blameless` names the bots that
    are not at fault when somebody kills or stops them: that raises InterferenceError. `choose` asks a human, for each
    seat of HUMAN. `model` answers the bots that ask a language model.
    """
    if launcher is None:
        with Launcher() as opened, cleaning_up(reused_bots_of(opened).close):
            return play(
                match,
                launcher=opened,
                earlier_faults=earlier_faults,
                observer=observer,
                observer_is_quick=observer_is_quick,
                blameless=blameless,
                choose=choose,
                model=model,
            )
    started, begun = datetime.now(UTC), time.monotonic()
    faults = {
        seat.role: replace(fault, role=seat.role, turn=0)
        for seat in match.seats
        if (fault := (earlier_faults or {}).get(seat.bot.name)) is not None
    }
    humans = {seat.role for seat in match.seats if choose is not None and seat.bot == human.HUMAN}
    remotes = {
        seat.role: RemoteSeat(seat, match.conditions)
        for seat in match.seats
        if seat.bot.remote and seat.role not in faults
    }

    def put_to_remote(asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        return {role: remotes[role].ask(ask) for role, ask in asks.items()}

    game = rulebook.game_of(match)
    referee, disguises = Referee(game, match, faults), Disguises(game, match)
    bots: dict[Role, LiveBot] = {}
    calls = Calls(match, model)
    if referee.verdict is None:
        seats = [seat for seat in match.seats if seat.role not in {*faults, *humans, *remotes}]
        observe: Observer = observer or (lambda _: None)
        unobserved = (observer is None or observer_is_quick) and choose is None  # nobody stops between turns to look
        reuses = match.conditions.keep
        with LiveBots(match, seats, launcher, blameless, calls=calls, reuses=reuses, freeze_late=unobserved) as live:
            bots = live.bots
            while asks := disguises.asks(referee.asks()):
                replies: dict[Role, Reply] = {}
                if choose is not None:  # before the bots, so that no bot is awake while a human thinks
                    observe(referee)
                    for role in [role for role in asks if role in humans]:
                        replies[role] = human.reply(choose, referee, role, asks.pop(role))
                for role in [role for role in asks if role in remotes]:  # no bot here is awake meanwhile
                    asked = {role: asks.pop(role)}
                    replies |= converse(put_to_remote, asked, put_to_remote(asked), calls, match, lambda: None)
                if asks:
                    replies |= live.ask(asks)
                for role, plain_text in referee.hear(disguises.replies(replies)).items():
                    text = disguises.last_words(role, plain_text)
                    if role in remotes:
                        remotes[role].end(text)
                    else:
                        live.dismiss(role, text)
                observe(referee)
            if choose is not None:
                observe(referee)
            live.say_goodbye(referee, disguises)
            for role, remote in remotes.items():
                remote.end(disguises.last_words(role, referee.farewell()))
    record = referee.record(
        tuple(
            bots[seat.role].report()
            if seat.role in bots
            else remotes[seat.role].report()
            if seat.role in remotes
            else SeatReport(role=seat.role, bot=seat.bot.name, digest=seat.bot.digest)
            for seat in match.seats
        ),
        started.isoformat(timespec="milliseconds"),
        time.monotonic() - begun,
    )
    return replace(record, calls=tuple(calls.made)) if calls.made else record


def roll_call(match: Match, seat: Seat, launcher: Launcher, *, blameless: Collection[str] = ()) -> Fault | None:
    """Start one bot of a match, wait for `ready`, and end it; return its fault, or None when it was ready in time."""
    game = rulebook.game_of(match)
    ask = Disguises(game, match).asks(Referee(game, match).asks())[seat.role]
    if seat.bot.remote:
        remote = RemoteSeat(seat, match.conditions)
        reply = remote.ask(ask)
        remote.end(b"end roll_call\n")
        return _fault(seat, reply)
    with LiveBots(match, [seat], launcher, blameless) as live:
        reply = ask_all(live.bots, {seat.role: ask})[seat.role]
        write_last_lines(live.bots.values(), b"end roll_call\n")
    return _fault(seat, reply)


def _fault(seat: Seat, reply: Reply) -> Fault | None:
    """Return the fault of a seat that was not ready."""
    if reply.ending is None:
        return None
    return Fault(role=seat.role, ending=reply.ending, turn=0, words=reply.words)


class LiveBots:
    """The live bots of one match. A context manager: afterwards all are gone, with everything that they left behind."""

    def __init__(
        self,
        match: Match,
        seats: Sequence[Seat],
        launcher: Launcher,
        blameless: Collection[str] = (),
        *,
        calls: Calls | None = None,
        reuses: bool = False,
        freeze_late: bool = False,
    ) -> None:
        """`calls` answers those that ask a language model.

        `reuses`: bots that have stayed play again, and bots that ask to stay wait for another match. With
        `freeze_late`, bots are frozen late where that is safe (match/polling.py).
        """
        self.bots: dict[Role, LiveBot] = {}
        self._match, self._launcher, self._blameless = match, launcher, blameless
        self._reuses, self._reused = reuses, reused_bots_of(launcher)
        self._seats = {seat.role: seat for seat in seats}
        self._calls = calls or Calls(match, None)
        self._conditions = match.conditions
        if match.conditions.sandbox == "auto":  # an event resolves this before it plans; a match from Python may not
            self._conditions = choice.resolved(match.conditions)
        self._greeted = False
        self._freezes_late = freeze_late
        self._answered: tuple[Role, float] | None = None
        """Who answered last, and when (monotonic)."""
        self._pauses: dict[Role, float] = {}
        """Seconds that the referee took after each role's last answer until it asked again."""

    def __enter__(self) -> Self:
        with ExitStack() as ending:
            ending.enter_context(cleaning_up(self._end))
            with self._launcher.users_for(len(self._seats), self._conditions.sandbox, self._end_waiting):
                for seat in self._seats.values():
                    self._start(seat, self._reused.take(self._match, seat) if self._reuses else None)
            self._ending = ending.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._ending.__exit__(*error)

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Ask these roles and return their replies; no reply is told to another bot before all are there."""
        if not self._greeted:
            self._greeted = True
            # All are asked for `ready` at once, since all have been awake since their start. A reused bot that fails
            # is started again, once: it may have died of what it did in its last match.
            replies = ask_all(self.bots, asks)
            failed = {role: asks[role] for role, reply in replies.items() if reply.ending and self.bots[role].reused}
            for role in failed:
                self.bots[role].end()
                self._start(self._seats[role], None)
            return replies | ask_all(self.bots, failed) if failed else replies
        replies = self._put(asks)
        for reply in replies.values():
            # With a model each turn counts, also one without a request.
            if self._conditions.model is not None or reply.line.startswith(MODEL):
                return converse(self._put, asks, replies, self._calls, self._match, self._freeze)
        return replies

    def _put(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Ask these roles as many at a time as there are cores for."""
        replies: dict[Role, Reply] = {}
        if len(asks) == 1:
            return self._ask_one(asks)
        few_cores = len(asks) > len(self._launcher.cores)
        if few_cores and self._conditions.freeze:  # one after another, each with its own deadline, the others frozen
            for role, ask in asks.items():
                replies |= self._ask_one({role: ask})
            return replies
        if not few_cores and len(system.cores()) == 1:  # a lane that is pinned to one core, and owns several
            for role, core in zip(asks, self._launcher.cores, strict=False):
                self.bots[role].move_to(core)
        return ask_all(self.bots, asks)

    def dismiss(self, role: Role, text: bytes) -> None:
        """Write its last lines to a bot that is out, and end it. No other bot is awake meanwhile."""
        for bot in self.bots.values():
            if bot.role != role:
                bot.freeze()
        bot = self.bots[role]
        write_last_lines([bot], text)
        bot.end()

    def say_goodbye(self, referee: Referee, disguises: Disguises) -> None:
        """Write the verdict to all bots that are not at fault; let those wait that stay, and end the others."""
        at_fault = {fault.role for fault in referee.verdict.faults} if referee.verdict else set()
        leaving: dict[bytes, list[LiveBot]] = {}
        for role, bot in self.bots.items():
            if role not in at_fault:
                text = disguises.last_words(role, referee.farewell())
                if self._reuses and bot.stays:
                    self._reused.put(self._match, self._seats[role], bot.stay(text))
                else:
                    leaving.setdefault(text, []).append(bot)
        for text, bots in leaving.items():
            write_last_lines(bots, text)

    def _freeze(self) -> None:
        for bot in self.bots.values():
            bot.freeze()

    def _end(self) -> None:
        """Make sure that all bots are gone that don't stay, with all that they left behind."""
        # Whoever waits for a later match in this lane lives on, also after a roll call, which reuses nobody.
        LiveBot.end_all(self._launcher, self.bots.values(), self._reused.pids)

    def _end_waiting(self) -> None:
        """End the bots of this lane that wait for another match, so that others get their users."""
        self._reused.close()
        self._launcher.sweep()

    def _ask_one(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        (role,) = asks
        if self._answered is not None:
            before, moment = self._answered
            self._pauses[before] = time.monotonic() - moment
        # Rules that need long for a role's turn would leave its bot awake for so long, so it is frozen at once.
        late = self._freezes_late and self._pauses.get(role, 0.0) <= SHORT_ANSWER_S
        replies = ask_all(self.bots, asks, freeze_late=late)
        self._answered = role, time.monotonic()
        return replies

    def _start(self, seat: Seat, process: Process | None) -> None:
        rules, blameless = Path(self._match.rules), seat.bot.name in self._blameless
        bot = LiveBot(self._launcher, seat.role, seat.bot, self._conditions, rules, process, blameless=blameless)
        self.bots[seat.role] = bot
        self._freezes_late &= bot.of_one_process
