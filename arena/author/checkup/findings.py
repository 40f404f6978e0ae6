"""The findings of a checkup and its runs; findings with the same advice become one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from arena.game import Move, Role
from arena.values import SeatReport


class Weight(StrEnum):
    """The weight of a finding."""

    FAULT = "fault"
    """The bot would lose a match by it."""
    ADVICE = "advice"
    """The bot loses no match by it, but its author should know."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One problem of a bot, worded for its author."""

    weight: Weight
    where: str
    """Board, role, turn, and the variation of the questions."""
    words: str
    """The answer that was expected and the answer that came; safe to print."""
    cure: str
    """The advice: what its author can do."""
    log: tuple[str, ...] = ()
    """The end of its stderr, where that may show the reason; safe to print."""
    again: tuple[str, ...] = ()
    """Other places where it was found."""


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """The results of one match in one role, from the start of the bot to its end."""

    board: str
    role: Role
    variation: str
    """The name of the variation of its questions; empty = none."""
    greeted: bool
    """True if it said `ready` in time."""
    moves: tuple[Move, ...]
    """Its legal answers."""
    walls: tuple[float, ...]
    """Seconds for each of these answers."""
    shortened: bool = False
    """True if it ended after its first answers, because the bot is too slow for whole matches."""
    gave_up: bool = False
    """True if the bot was silent, where the event has no limit of time."""
    report: SeatReport
    findings: tuple[Finding, ...]
    refused: tuple[str, ...] = ()
    """The names of refused system calls, without those that programs expect to be refused."""

    @property
    def sound(self) -> bool:
        """True if no fault was found."""
        return is_sound(self.findings)


def is_sound(findings: Iterable[Finding]) -> bool:
    """Return whether no finding is a fault."""
    return all(finding.weight is not Weight.FAULT for finding in findings)


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings, faults first, with one finding for each advice.

    It is the first with that advice, and has the places of the others.
    """
    merged: dict[tuple[Weight, str], Finding] = {}
    for finding in findings:
        key = (finding.weight, finding.cure)
        first = merged.setdefault(key, finding)
        if finding.where == first.where or finding.where in first.again:
            continue
        other_places = (*first.again, finding.where)
        merged[key] = replace(first, again=other_places)

    def is_advice(finding: Finding) -> bool:
        return finding.weight is not Weight.FAULT

    return tuple(sorted(merged.values(), key=is_advice))
