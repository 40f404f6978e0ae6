"""One match: a referee, and a live bot in every seat.

It owns the door through which this process starts its bots. It decides nothing: the referee does.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from arena import cores, rulebook
from arena.bot import LiveBot
from arena.bot.process import Process
from arena.converse import converse, in_turn, part
from arena.game import Role
from arena.keeping import Keeper
from arena.match import Fault, Match, Record, Seat, SeatReport
from arena.protocol import Ask, Heard
from arena.referee import Referee
from arena.sandbox import levels
from arena.sandbox.door import Door

Watch = Callable[[Referee], None]
"""Called after every turn, for whoever wants to show a match while it is played."""


def play(
    match: Match,
    *,
    door: Door | None = None,
    absent: Mapping[str, Fault] | None = None,
    keeper: Keeper | None = None,
    watch: Watch | None = None,
) -> Record:
    """Play a match to its verdict, whatever its bots do.

    `absent` names bots that already failed, with how: their seats are at fault before the first turn and are not
    started. Without a `door` one is opened for this match alone. `keeper` has the bots that stay from match to match.
    """
    if door is None:
        with Door() as own:
            return play(match, door=own, absent=absent, watch=watch)
    started, begun = datetime.now(UTC), time.monotonic()
    missing = _missing(match, absent or {})
    referee = Referee(rulebook.game_of(match), match, missing)
    bots: dict[Role, LiveBot] = {}
    if referee.verdict is None:
        with Seated(match, [seat for seat in match.seats if seat.role not in missing], door, keeper) as seated:
            bots = seated.bots
            seated.play(referee, watch)
    return referee.record(
        tuple(bots[seat.role].report() if seat.role in bots else _unplayed(seat) for seat in match.seats),
        started.isoformat(timespec="milliseconds"),
        time.monotonic() - begun,
    )


def call(match: Match, seat: Seat, door: Door) -> Fault | None:
    """Start one bot of a match, wait for `ready`, and let it go; how it failed, or None."""
    referee = Referee(rulebook.game_of(match), match)
    ask = referee.asks()[seat.role]
    with Seated(match, [seat], door) as seated:
        heard = converse(seated.bots, {seat.role: ask})[seat.role]
        part(seated.bots.values(), b"end roll_call\n")
    if heard.ending is None:
        return None
    return Fault(role=seat.role, ending=heard.ending, turn=0, words=heard.words)


class Seated:
    """The live bots of one match. A context manager: all are gone afterwards, with whatever they left behind."""

    def __init__(self, match: Match, seats: Sequence[Seat], door: Door, keeper: Keeper | None = None) -> None:
        """`keeper` may have bots for these seats that stayed, and takes those that stay."""
        self.bots: dict[Role, LiveBot] = {}
        self._match, self._door, self._keeper = match, door, keeper
        self._seats = {seat.role: seat for seat in seats}
        self._conditions = match.conditions
        if (
            match.conditions.sandbox == "auto"
        ):  # a match of one's own making; an event's is resolved before it is planned
            self._conditions = replace(match.conditions, sandbox=levels.choose("auto", unsafe=False))
        self._leaving = ExitStack()  # each is ended though the end of another fails

    def __enter__(self) -> Self:
        with self._leaving as leaving:
            leaving.callback(lambda: self._door.sweep(self._keeper.pids if self._keeper else ()))
            for seat in self._seats.values():
                self._start(seat, self._keeper.take(self._match, seat) if self._keeper else None)
            self._leaving = leaving.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._leaving.__exit__(*error)

    def play(self, referee: Referee, watch: Watch | None) -> None:
        """Converse to the end. No answer of a turn is told before all are in, however they are asked."""
        ask = self._greet
        while asks := referee.asks():
            for role, words in referee.hear(ask(asks)).items():
                part([self.bots[role]], words)
            ask = self._ask
            if watch is not None:
                watch(referee)
        self._part(referee)

    def _start(self, seat: Seat, kept: Process | None) -> None:
        bot = LiveBot(self._door, seat.role, seat.bot, self._conditions, Path(self._match.rules), kept)
        self.bots[seat.role] = bot
        self._leaving.callback(bot.end)

    def _greet(self, asks: Mapping[Role, Ask]) -> dict[Role, Heard]:
        """All at once: they have been awake since their start. A kept bot that fails is started again, for once."""
        heard = converse(self.bots, asks)
        again = {role: asks[role] for role, one in heard.items() if one.ending is not None and self.bots[role].kept}
        for role in again:
            self.bots[role].end()
            self._start(self._seats[role], None)
        return heard | converse(self.bots, again) if again else heard

    def _ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Heard]:
        """Those whose turn it is: at once where each has a core of its own, one after another where cores are few."""
        if len(asks) == 1:
            return converse(self.bots, asks)
        if self._conditions.freeze and len(asks) > len(self._door.cores):
            return in_turn(self.bots, asks)
        if len(asks) <= len(self._door.cores) and len(cores.available()) == 1:  # a pinned lane that has more cores
            for role, core in zip(asks, self._door.cores, strict=False):
                self.bots[role].sit_on(core)
        return converse(self.bots, asks)

    def _part(self, referee: Referee) -> None:
        """The last words to all that are still in; who stays for its next match stays."""
        out = {fault.role for fault in referee.verdict.faults} if referee.verdict else set()
        within = {role: bot for role, bot in self.bots.items() if role not in out}
        stay = {role for role, bot in within.items() if bot.stays and self._keeper is not None}
        part([bot for role, bot in within.items() if role not in stay], referee.farewell())
        for role in stay:
            if self._keeper is not None:
                self._keeper.put(self._match, self._seats[role], within[role].stay(referee.farewell()))


def _missing(match: Match, absent: Mapping[str, Fault]) -> dict[Role, Fault]:
    return {
        seat.role: Fault(role=seat.role, ending=fault.ending, turn=0, words=fault.words)
        for seat in match.seats
        if (fault := absent.get(seat.bot.name)) is not None
    }


def _unplayed(seat: Seat) -> SeatReport:
    return SeatReport(role=seat.role, bot=seat.bot.name, digest=seat.bot.digest)
