"""Seats a match: finds the kind of each seat, wraps it, and asks all seats as if they were one.

It owns the order of the kinds, and what is around each. Only this file knows which kinds there are;
extensions bring others. The law of a seat: seat.py.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, Self

from arena import extensions
from arena.game import Game, Role
from arena.match.human import human_seats
from arena.match.live_bots import live_bots
from arena.match.model_line import ModelSeats, NoModel
from arena.match.seat import Kind, Resources, Seats, Wrap
from arena.protocol import Ask, Reply
from arena.values import Seat, SeatReport

PROGRAMS: tuple[Kind, ...] = (live_bots,)
"""Seats whose bots run here: a seat that fits no other kind."""
KINDS: tuple[Kind, ...] = (human_seats, *PROGRAMS)
"""The kinds of the core, in the order in which their seats are asked: no program is awake while a
person thinks."""


@cache
def wraps() -> tuple[Wrap, ...]:
    """Return what makes the wrappers that extensions add."""
    return tuple(map(extensions.load, extensions.wrappers()))


class Wrappers:
    """All that stands around the seats of one match."""

    def __init__(self, game: Game[Any], resources: Resources) -> None:
        self._wrappers = [wrap(game, resources) for wrap in wraps()]
        self._match = resources.match
        self._no_model = NoModel()

    def near(self, seats: Seats) -> Seats:
        """Return these seats with what stands next to whoever plays."""
        for wrapper in self._wrappers:
            seats = wrapper.near(seats)
        return ModelSeats(seats, self._no_model, self._match)

    def far(self, seats: Seats) -> Seats:
        """Return these seats with what stands next to the referee."""
        for wrapper in self._wrappers:
            seats = wrapper.far(seats)
        return seats

    def written(self) -> dict[str, Any]:
        """Return what the record gets of all of them."""
        written: dict[str, Any] = {}
        for wrapper in self._wrappers:
            written |= wrapper.written()
        return written


@cache
def added_kinds() -> tuple[Kind, ...]:
    """Return the kinds that extensions add."""
    return tuple(map(extensions.load, extensions.seats()))


class AllSeats(Seats):
    """The seats of a match, of whatever kinds."""

    def __init__(
        self,
        game: Game[Any],
        seats: Sequence[Seat],
        resources: Resources,
        *,
        first: Sequence[Kind] = (),
        last: Sequence[Kind] = KINDS,
    ) -> None:
        """`seats` are those that are played.

        Seats of the kinds `first` are found first, then those of extensions, then those of the
        kinds `last`.
        """
        self._wrappers = Wrappers(game, resources)
        self._groups: list[Seats] = []
        self._group_of: dict[Role, Seats] = {}
        for kind in (*first, *added_kinds(), *last):
            free = [seat for seat in seats if seat.role not in self._group_of]
            for group in kind(free, resources):
                wrapped = self._wrappers.near(group)
                wrapped = self._wrappers.far(wrapped)
                self._groups.append(wrapped)
                self._group_of |= dict.fromkeys(group.roles, wrapped)
        self.roles = self._group_of.keys()
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as closing:
            for group in self._groups:
                closing.enter_context(group)
            self._closing = closing.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._closing.__exit__(*error)

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`. One kind is asked after another, and rests while others are asked."""
        if len(self._groups) == 1:
            return self._groups[0].ask(asks)
        replies: dict[Role, Reply] = {}
        for group in self._groups:
            asks_of_group = {role: ask for role, ask in asks.items() if role in group.roles}
            if asks_of_group:
                replies |= group.ask(asks_of_group)
                group.rest()
        return replies

    def rest(self) -> None:
        """Part of `Seats`."""
        for group in self._groups:
            group.rest()

    def dismiss(self, role: Role, text: bytes) -> None:
        """Part of `Seats`."""
        self._group_of[role].dismiss(role, text)

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Part of `Seats`. Programs hear it first, since they are ended at once."""
        for group in reversed(self._groups):
            texts_of_group = {role: text for role, text in texts.items() if role in group.roles}
            group.say_goodbye(texts_of_group)

    def report(self, role: Role) -> SeatReport:
        """Part of `Seats`."""
        return self._group_of[role].report(role)

    def written(self) -> dict[str, Any]:
        """Return what the record gets of what stands around the seats."""
        return self._wrappers.written()
