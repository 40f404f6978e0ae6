"""One match: a referee, and a player in each seat.

It starts the seats, carries questions and replies, and ends the seats. It decides nothing: the
referee does. It knows no kind of seat (seat.py).
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from arena.game import Move, Role
from arena.games import rulebook
from arena.match.human import Choose
from arena.match.process_reuse import reused_bots_of
from arena.match.referee import Referee
from arena.match.seat import Kind, Resources, Seats, report_of_nobody
from arena.match.seating import AllSeats
from arena.sandbox.launcher import Launcher, cleaning_up
from arena.values import Fault, Match, Record, Seat, SeatReport

NO_SERVICES: Mapping[str, object] = {}
Observer = Callable[[Referee], None]
"""Called after every turn, to show a match while it is played. With a human it is also called
before each choice and at the end, because chance may have moved meanwhile; it must do nothing when
there is no new turn."""


def play(
    match: Match,
    *,
    launcher: Launcher | None = None,
    earlier_faults: Mapping[str, Fault] | None = None,
    observer: Observer | None = None,
    observer_is_quick: bool = False,
    blameless: Collection[str] = (),
    choose: Choose | None = None,
    kinds: Sequence[Kind] = (),
    services: Mapping[str, object] = NO_SERVICES,
) -> Record:
    """Play a match to its verdict, whatever its bots do.

    - launcher: without it, a launcher is opened for this match alone.
    - earlier_faults: the faults of bots that failed the roll call, by name. Their seats are at
      fault before the first turn, and they are not started.
    - observer_is_quick: nobody stops between two turns to look. So bots may be frozen late, as
      without an observer.
    - blameless: the names of bots that are not at fault when somebody kills or stops them. That
      raises InterferenceError.
    - choose: asks a human, for each seat of HUMAN.
    - kinds: kinds of seat that only the caller knows.
    - services: what serves the seats from outside, by name.
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
                kinds=kinds,
                services=services,
            )
    started = datetime.now(UTC)
    begun = time.monotonic()
    faults = _faults_at_start(match, earlier_faults or {})
    game = rulebook.game_of(match)
    referee = Referee(game, match, faults)
    present = [seat for seat in match.seats if seat.role not in faults]

    choose_for_role: Callable[[Role], Move] | None = None
    if choose is not None:
        choose_for_role = partial(choose, referee)
    nobody_looks = observer is None or observer_is_quick
    resources = Resources(
        match=match,
        launcher=launcher,
        blameless=blameless,
        services=services,
        referee=referee,
        choose=choose_for_role,
        reuses=match.conditions.keep,
        # Nobody may stop between two turns to look, or to think in a seat that is no program.
        freeze_late=choose is None and not kinds and nobody_looks,
    )
    seats = AllSeats(game, present, resources, first=kinds)
    if referee.verdict is None:
        with seats:
            _carry(referee, seats, observer, looks_before=choose is not None)

    reports: list[SeatReport] = []
    for seat in match.seats:
        if seat.role in seats.roles:
            report = seats.report(seat.role)
        else:
            report = report_of_nobody(seat)
        reports.append(report)
    when = started.isoformat(timespec="milliseconds")
    seconds = time.monotonic() - begun
    record = referee.record(tuple(reports), when, seconds)
    written = seats.written()
    if not written:
        return record
    return replace(record, **written)


def _faults_at_start(match: Match, earlier: Mapping[str, Fault]) -> dict[Role, Fault]:
    """Return the faults of seats whose bots failed the roll call, by role."""
    faults: dict[Role, Fault] = {}
    for seat in match.seats:
        fault = earlier.get(seat.bot.name)
        if fault is not None:
            faults[seat.role] = replace(fault, role=seat.role, turn=0)
    return faults


def _carry(
    referee: Referee,
    seats: Seats,
    observer: Observer | None,
    *,
    looks_before: bool,
) -> None:
    """Carry questions and replies until there is a verdict; tell it to all that are not at fault.

    `looks_before`: the observer is called before each question, too, and at the end.
    """
    observe: Observer = observer or (lambda _: None)
    asks = referee.asks()
    while asks:
        if looks_before:
            observe(referee)
        replies = seats.ask(asks)
        for role, text in referee.hear(replies).items():
            seats.dismiss(role, text)
        observe(referee)
        asks = referee.asks()
    if looks_before:
        observe(referee)

    farewell = referee.farewell()
    at_fault: set[Role] = set()
    if referee.verdict is not None:
        at_fault = {fault.role for fault in referee.verdict.faults}
    in_play = [role for role in seats.roles if role not in at_fault]
    seats.say_goodbye(dict.fromkeys(in_play, farewell))


def roll_call(
    match: Match,
    seat: Seat,
    launcher: Launcher,
    *,
    blameless: Collection[str] = (),
) -> Fault | None:
    """Start one bot of a match, wait for `ready`, and end it.

    Return its fault, or None when it was ready in time.
    """
    game = rulebook.game_of(match)
    role = seat.role
    greetings = Referee(game, match).asks()
    ask = greetings[role]
    resources = Resources(match=match, launcher=launcher, blameless=blameless)
    with AllSeats(game, [seat], resources) as seats:
        replies = seats.ask({role: ask})
        seats.say_goodbye({role: b"end roll_call\n"})
    reply = replies[role]
    if reply.ending is None:
        return None
    return Fault(
        role=role,
        ending=reply.ending,
        turn=0,
        words=reply.words,
    )
