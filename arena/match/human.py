"""A human's seat.

It has no process and no clock. Its moves are legal, because a screen offers no others. The screen
shows a human only what `view` shows a bot in that role.
"""

from collections.abc import Callable, Sequence

from arena.game import Move, Role
from arena.match.referee import Referee
from arena.match.seat import Resources, SingleSeat, report_of_nobody
from arena.protocol import Ask, Reply
from arena.values import Bot, Seat, SeatReport

Choose = Callable[[Referee, Role], Move]
"""Asks a human for one of the legal moves of a role, for as long as it takes."""
HUMAN = Bot(name="you", command=(), digest="")
"""The bot that stands in a match for a human."""


class HumanSeat:
    """A seat in which a human chooses."""

    def __init__(self, seat: Seat, choose: Callable[[Role], Move]) -> None:
        self._seat = seat
        self._choose = choose

    def ask(self, ask: Ask) -> Reply:
        """Return `ready` at once, or the move that is chosen."""
        if ask.ready:
            return Reply(line=b"ready")
        move = self._choose(self._seat.role)
        return Reply(line=move.encode())

    def end(self, text: bytes) -> None:
        """Say nothing: the screen shows how the match ended."""

    def close(self) -> None:
        """Let go of nothing."""

    def report(self) -> SeatReport:
        """Return who sat here."""
        return report_of_nobody(self._seat)


def human_seats(seats: Sequence[Seat], resources: Resources) -> list[SingleSeat]:
    """Return the seats in which a human chooses: part of `KINDS`."""
    choose = resources.choose
    if choose is None:
        return []
    found = []
    for seat in seats:
        if seat.bot == HUMAN:
            human_seat = HumanSeat(seat, choose)
            found.append(SingleSeat(seat.role, human_seat))
    return found
