"""One match in one role: the bot that is examined, from its start to its end, and what came of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.checkup.examinee import Examinee
from arena.checkup.examiner import Examiner
from arena.checkup.finding import Finding, Weight
from arena.checkup.twists import Twist
from arena.game import Move, Role
from arena.match import Match, SeatReport
from arena.sandbox.door import Door


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """What came of it."""

    board: str
    """`game/board`."""
    role: Role
    twist: str
    """What was unusual; empty = nothing."""
    greeted: bool
    """Whether it said `ready` in time."""
    moves: tuple[Move, ...]
    """Its legal answers."""
    walls: tuple[float, ...]
    """Seconds for each of these answers."""
    report: SeatReport
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether no fault was found."""
        return all(one.weight is not Weight.FAULT for one in self.findings)


def sit(match: Match, role: Role, door: Door, name: str, twist: Twist, until: int | None = None) -> Sitting:
    """Examine the bot that has this role in the match; its process is gone afterwards."""
    with _examinee(match, role, door) as bot:
        examiner = Examiner(match, role, bot, name, twist)
        examiner.examine(until=until)
        bot.end()
        report = bot.report()
    examiner.advise(report)
    return Sitting(
        board=match.label,
        role=role,
        twist=name,
        greeted=examiner.greeted,
        moves=tuple(examiner.moves),
        walls=tuple(examiner.walls),
        report=report,
        findings=tuple(examiner.findings),
    )


@contextmanager
def _examinee(match: Match, role: Role, door: Door) -> Iterator[Examinee]:
    seat = next(seat for seat in match.seats if seat.role == role)
    bot = Examinee(door, role, seat.bot, match.conditions, Path(match.rules))
    try:
        yield bot
    finally:
        bot.end()
        door.sweep()
