"""A seat of a match while it is played: greeted, asked, given its last words, and reported.

`Seats` is all that the referee's shell (play.py) knows of who plays. This file knows no kind of
seat: each kind is a file of its own, and seating.py lists them.
"""

# Theory of seats
# ---------------
# The core has two kinds of seat:
#
#   live_bots.py  bots whose programs run here: `LiveBots`, all of a match at once
#   human.py      a person, or a search in this process, that chooses a move: `HumanSeat`
#
# Extensions bring others by the hook `seats`, such as a bot that stays on its author's machine.
#
# Around any of them may stand wrappers, of two places:
#
#   near   next to whoever plays: it answers what a bot asks before its move, such as a question
#          to a language model
#   far    next to the referee: a bot reads and writes something else, such as other words
#
# Extensions bring them, both in one `Wrapper` a match, by the hook `wrappers`. What it wrote down
# stands in the record. `arena check` has a wrapper that stands between the two, `Examination`
# (author/checkup/conversation.py): it sees what a bot answers, in plain words.
#
# The law of a seat:
#
#   - It raises no error for a fault of whoever plays it. A fault is a `Reply` with an ending, and
#     the referee judges it. An error means that arena failed, and the match must be played again.
#   - Its first question is the greeting, which is answered by `ready` or an ending. Each question
#     has one reply.
#   - It owns its clock: it returns by the deadline of the question, and the reply says what the
#     answer took.
#   - It gets its last words once, and is asked nothing more: it is dismissed when it is out, or it
#     hears the farewell when the match is over.
#   - Its report is there after the `with`, also if it was never asked because all others were out
#     before the first turn.
#   - It decides nothing about the match, and it sees no question of another seat.
#   - It rests while seats of other kinds are asked, where it can be stopped.
#
# Why one object may stand for several seats. Roles that move at once must think at once, as many as
# there are cores for: one poll(2) waits for all of their programs, and a language model is asked
# for all of them at once. Three ways were weighed:
#
#   1. An object for each seat, with `ask(question) -> reply`. It is the simplest, but bots would
#      think one after another.
#   2. An object for each seat, asked in two steps: `begin(question)`, then `reply()`. The first
#      `reply()` would have to wait for all seats that have begun, so they would have to know each
#      other in secret, and so would each wrapper.
#   3. An object that is asked for several seats at once: `ask(questions) -> replies`. A kind whose
#      seats are asked one by one has an object for each of them (`SingleSeat`), which need not
#      know of others. A wrapper wraps a call.
#
# The third is taken. Kinds are asked one after another, programs last, so that no program is awake
# while a person or an author's machine thinks. A seat is known to be of a kind by its bot, as by
# `Bot.remote`.
#
# A new kind of seat is a class with the methods of `LiveSeat`, in a new file, and a function of the
# type `Kind`, which puts each seat that is of this kind in a `SingleSeat`. Nothing else changes.
#
# How the seating learns of a new kind. Two ways are needed, and no third:
#
#   - An extension declares the path of its function, in the field `seats`. So every lane knows the
#     kind, also in a process that was started anew. It is known by its bot alone, as any is.
#   - `play` gets functions of its caller, in `kinds`. Such a kind lives in this process only, as a
#     search that learns from match to match does.
#
# Rejected: a name of the kind in `Bot` or in tournament.toml. It would be in the digest of a bot,
# or in the identity of an event, and would say again what the bot says by its command. Both ways
# are asked before the kinds of arena, the caller's first: a program is what fits no other kind.

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeAlias

from arena.game import Game, Move, Role
from arena.match.referee import Referee
from arena.protocol import Ask, Reply
from arena.sandbox.launcher import Launcher
from arena.values import Match, Seat, SeatReport


class Seats(AbstractContextManager["Seats"], Protocol):
    """Seats of one match that are asked together. Nobody is in them before or after the `with`."""

    roles: Collection[Role]
    """The roles of these seats."""

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Ask these roles, at least one, and return their replies when all of them are there."""
        ...

    def rest(self) -> None:
        """Stop all of them from thinking until they are asked again, where that can be done."""
        ...

    def dismiss(self, role: Role, text: bytes) -> None:
        """Give a role that is out its last words, and end it."""
        ...

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Give these roles their last words; the match is over."""
        ...

    def report(self, role: Role) -> SeatReport:
        """Return what became of a role."""
        ...


class LiveSeat(Protocol):
    """One seat that is asked by itself, which is all that most kinds need to be."""

    def ask(self, ask: Ask) -> Reply:
        """Ask it, and return its reply when it is there."""
        ...

    def end(self, text: bytes) -> None:
        """Give it its last words."""
        ...

    def close(self) -> None:
        """Let go of whatever it holds, also after a failure."""
        ...

    def report(self) -> SeatReport:
        """Return what became of it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What the seats of a match are made with; each kind takes its part."""

    match: Match
    launcher: Launcher
    blameless: Collection[str] = ()
    """The bots that are not at fault when somebody kills or stops them."""
    services: Mapping[str, object] = field(default_factory=dict)
    """What serves the seats from outside, by the name of the service (arena/event/service.py)."""
    referee: Referee | None = None
    """The match itself, for a seat in this process that may see all of it; None where none is
    played."""
    choose: Callable[[Role], Move] | None = None
    """Asks a human for one of the legal moves of a role; None = nobody does."""
    reuses: bool = False
    """True when bots that have stayed play again, and bots that ask to stay may do so."""
    freeze_late: bool = False
    """True when bots may be frozen late where that is safe (polling.py)."""


Kind: TypeAlias = Callable[[Sequence[Seat], Resources], Sequence[Seats]]
"""Finds the seats of one kind among those that no other kind has taken, and returns an object for
those that are asked together. It starts nobody."""


class Wrapper(Protocol):
    """What stands around all seats of one match."""

    def near(self, seats: Seats) -> Seats:
        """Return these seats with what stands next to whoever plays."""
        ...

    def far(self, seats: Seats) -> Seats:
        """Return these seats with what stands next to the referee."""
        ...

    def written(self) -> Mapping[str, object]:
        """Return what the record of the match gets of it, by the names of fields of `Record`."""
        ...


Wrap: TypeAlias = Callable[[Game[Any], Resources], Wrapper]
"""Returns what stands around the seats of a match of this game."""


class SingleSeat(Seats):
    """A seat that is asked by itself."""

    def __init__(self, role: Role, seat: LiveSeat) -> None:
        self.roles = (role,)
        self._seat = seat

    def __exit__(self, *error: object) -> None:
        self._seat.close()

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`."""
        return {role: self._seat.ask(ask) for role, ask in asks.items()}

    def rest(self) -> None:
        """Part of `Seats`. Nothing here can stop whoever plays it."""

    def dismiss(self, role: Role, text: bytes) -> None:  # noqa: ARG002 (all seats have this method)
        """Part of `Seats`."""
        self._seat.end(text)

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Part of `Seats`."""
        for text in texts.values():
            self._seat.end(text)

    def report(self, role: Role) -> SeatReport:  # noqa: ARG002 (all seats have this method)
        """Part of `Seats`."""
        return self._seat.report()


class WrappedSeats(Seats):
    """Seats with something around their line: a subclass says what, and the rest stays as it is."""

    def __init__(self, seats: Seats) -> None:
        self.seats = seats
        self.roles = seats.roles

    def __enter__(self) -> Self:
        self.seats.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.seats.__exit__(*error)

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`."""
        return self.seats.ask(asks)

    def rest(self) -> None:
        """Part of `Seats`."""
        self.seats.rest()

    def dismiss(self, role: Role, text: bytes) -> None:
        """Part of `Seats`."""
        self.seats.dismiss(role, text)

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Part of `Seats`."""
        self.seats.say_goodbye(texts)

    def report(self, role: Role) -> SeatReport:
        """Part of `Seats`."""
        return self.seats.report(role)


def report_of_nobody(seat: Seat) -> SeatReport:
    """Return the report of a seat of which nothing is known, such as one that nobody was in."""
    bot = seat.bot
    return SeatReport(role=seat.role, bot=bot.name, digest=bot.digest)
