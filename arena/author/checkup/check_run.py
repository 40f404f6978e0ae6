"""One run of a checkup: one match in one role, from the start of the bot to its end."""

from dataclasses import dataclass
from pathlib import Path

from arena.author.checkup.examinee import Examinee
from arena.author.checkup.examiner import Conversation
from arena.author.checkup.finding import Finding, Weight
from arena.author.checkup.variations import Variation
from arena.game import Move, Role
from arena.sandbox.launcher import Launcher
from arena.values import Match, SeatReport


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """The results of one run."""

    board: str
    """`game/board`."""
    role: Role
    variation: str
    """The name of the variation of its questions; empty = none."""
    greeted: bool
    """True if it said `ready` in time."""
    moves: tuple[Move, ...]
    """Its legal answers."""
    walls: tuple[float, ...]
    """Seconds for each of these answers."""
    report: SeatReport
    findings: tuple[Finding, ...]
    refused: tuple[str, ...] = ()
    """Names of system calls that were refused to it, except those that programs expect to be refused."""

    @property
    def sound(self) -> bool:
        """True if no fault was found."""
        return all(finding.weight is not Weight.FAULT for finding in self.findings)


def run_check(
    match: Match, role: Role, launcher: Launcher, name: str, variation: Variation, until: int | None = None
) -> CheckRun:
    """Examine the bot that has this role in the match; its process is gone afterwards.

    `name` is that of the variation; `until` ends its input after so many answers.
    """
    seat = next(seat for seat in match.seats if seat.role == role)
    if launcher.refused is not None:
        launcher.refused.start_anew()
    bot = Examinee(launcher, role, seat.bot, match.conditions, Path(match.rules))
    try:
        examiner = Conversation(match, role, bot, name, variation)
        examiner.examine(until=until)
        bot.end()
        report = bot.report()
    finally:
        bot.end()
        launcher.sweep()
    examiner.advise(report)
    return CheckRun(
        board=match.label,
        role=role,
        variation=name,
        greeted=examiner.greeted,
        moves=tuple(examiner.moves),
        walls=tuple(examiner.walls),
        report=report,
        refused=() if launcher.refused is None else tuple(launcher.refused.failing()),
        findings=tuple(examiner.findings),
    )
