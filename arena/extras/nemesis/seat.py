"""The seat of a nemesis: a search in this process chooses its moves, and sees the whole match."""

from collections.abc import Callable, Sequence

from arena.extras.nemesis.search import Nemesis
from arena.game import Move, Role
from arena.match.referee import Referee
from arena.match.seat import Kind, Resources, SingleSeat, report_of_nobody
from arena.protocol import Ask, Reply
from arena.values import Bot, Seat, SeatReport

NEMESIS = Bot(name="nemesis", command=(), digest="")
"""The bot that stands in a match for the search."""


class NemesisSeat:
    """A seat in which a search chooses. It has no process and no clock."""

    def __init__(
        self,
        seat: Seat,
        choose: Callable[[Referee, Role], Move],
        referee: Referee,
    ) -> None:
        self._seat = seat
        self._choose = choose
        self._referee = referee

    def ask(self, ask: Ask) -> Reply:
        """Return `ready` at once, or the move that is chosen."""
        if ask.ready:
            return Reply(line=b"ready")
        move = self._choose(self._referee, self._seat.role)
        return Reply(line=move.encode())

    def end(self, text: bytes) -> None:
        """Say nothing: the search learns from the record."""

    def close(self) -> None:
        """Let go of nothing."""

    def report(self) -> SeatReport:
        """Return who sat here."""
        return report_of_nobody(self._seat)


def seats_of(searcher: Nemesis) -> Kind:
    """Return the kind of seat in which this search plays."""

    def kind(seats: Sequence[Seat], resources: Resources) -> list[SingleSeat]:
        referee = resources.referee
        if referee is None:
            return []
        single_seats = []
        for seat in seats:
            if seat.bot == NEMESIS:
                nemesis_seat = NemesisSeat(seat, searcher.choose, referee)
                single_seats.append(SingleSeat(seat.role, nemesis_seat))
        return single_seats

    return kind
