"""One match: a referee, and a live bot in every seat.

It owns the door through which this process starts its bots. It decides nothing: the referee does.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from arena import cores, rulebook
from arena.bot import LiveBot
from arena.converse import converse, in_turn, part
from arena.game import Role
from arena.match import Conditions, Fault, Match, Record, Seat, SeatReport
from arena.protocol import Ask, Heard
from arena.referee import Referee
from arena.sandbox import levels
from arena.sandbox.door import Door

Watch = Callable[[Referee], None]
"""Called after every turn, for whoever wants to show a match while it is played."""
Converse = Callable[[Mapping[Role, LiveBot], Mapping[Role, Ask]], dict[Role, Heard]]
"""How the roles of one turn are asked."""


def play(
    match: Match, *, door: Door | None = None, absent: Mapping[str, Fault] | None = None, watch: Watch | None = None
) -> Record:
    """Play a match to its verdict, whatever its bots do.

    `absent` names bots that already failed, with how: their seats are at fault before the first turn and are not
    started. Without a `door` one is opened for this match alone.
    """
    if door is None:
        with Door() as own:
            return play(match, door=own, absent=absent, watch=watch)
    started, begun = datetime.now(UTC), time.monotonic()
    missing = _missing(match, absent or {})
    referee = Referee(rulebook.game_of(match), match, missing)
    bots: dict[Role, LiveBot] = {}
    if referee.verdict is None:
        with _live(match, [seat for seat in match.seats if seat.role not in missing], door) as bots:
            _converse_to_the_end(referee, bots, partial(_ask, door, match.conditions), watch)
    if referee.verdict is None:
        raise RuntimeError("the referee asked nobody and gave no verdict")
    return Record(
        match=match,
        turns=tuple(referee.turns),
        verdict=referee.verdict,
        sides=tuple(referee.game.sides),
        seats=tuple(bots[seat.role].report() if seat.role in bots else _unplayed(seat) for seat in match.seats),
        started=started.isoformat(timespec="milliseconds"),
        seconds=time.monotonic() - begun,
    )


def call(match: Match, seat: Seat, door: Door) -> Fault | None:
    """Start one bot of a match, wait for `ready`, and let it go; how it failed, or None."""
    referee = Referee(rulebook.game_of(match), match)
    ask = referee.asks()[seat.role]
    with _live(match, [seat], door) as bots:
        heard = converse(bots, {seat.role: ask})[seat.role]
        part(bots.values(), b"end roll_call\n")
    if heard.ending is None:
        return None
    return Fault(role=seat.role, ending=heard.ending, turn=0, words=heard.words)


def _ask(
    door: Door, conditions: Conditions, bots: Mapping[Role, LiveBot], asks: Mapping[Role, Ask]
) -> dict[Role, Heard]:
    """Ask those whose turn it is: at once where each has a core of its own, one after another where cores are few."""
    if len(asks) == 1:
        return converse(bots, asks)
    if conditions.freeze and len(asks) > len(door.cores):
        return in_turn(bots, asks)
    if len(asks) <= len(door.cores) and len(cores.available()) == 1:  # this lane is pinned, but has more cores
        for role, core in zip(asks, door.cores, strict=False):
            bots[role].sit_on(core)
    return converse(bots, asks)


def _converse_to_the_end(referee: Referee, bots: Mapping[Role, LiveBot], turn: Converse, watch: Watch | None) -> None:
    """No answer of a turn is told before all are in, however they are asked."""
    ask_them: Converse = converse  # at first: they have been awake since their start
    while asks := referee.asks():
        for role, words in referee.hear(ask_them(bots, asks)).items():
            part([bots[role]], words)
        ask_them = turn
        if watch is not None:
            watch(referee)
    out = {fault.role for fault in referee.verdict.faults} if referee.verdict else set()
    part([bot for role, bot in bots.items() if role not in out], referee.farewell())


@contextmanager
def _live(match: Match, seats: Iterable[Seat], door: Door) -> Iterator[dict[Role, LiveBot]]:
    """A live bot in each of these seats; all of them gone afterwards, with whatever they left behind."""
    bots: dict[Role, LiveBot] = {}
    conditions = match.conditions
    if conditions.sandbox == "auto":  # a match of one's own making; an event's is resolved before it is planned
        conditions = replace(conditions, sandbox=levels.choose("auto", unsafe=False))
    with ExitStack() as leaving:  # each is ended though the end of another fails
        leaving.callback(door.sweep)
        for seat in seats:
            bots[seat.role] = LiveBot(door, seat.role, seat.bot, conditions, Path(match.rules))
            leaving.callback(bots[seat.role].end)
        yield bots


def _missing(match: Match, absent: Mapping[str, Fault]) -> dict[Role, Fault]:
    return {
        seat.role: Fault(role=seat.role, ending=fault.ending, turn=0, words=fault.words)
        for seat in match.seats
        if (fault := absent.get(seat.bot.name)) is not None
    }


def _unplayed(seat: Seat) -> SeatReport:
    return SeatReport(role=seat.role, bot=seat.bot.name, digest=seat.bot.digest)
