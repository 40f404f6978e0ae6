"""What was found out about a bot: a value, and how alike ones are told once."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Weight(StrEnum):
    """How much a finding matters."""

    FAULT = "fault"
    """It would lose a match."""
    ADVICE = "advice"
    """No match is lost by it, but its author should know."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong with a bot, in words for its author."""

    weight: Weight
    where: str
    """Board, role, turn, and what was unusual about the questions."""
    words: str
    """What was expected and what came; harmless to show."""
    cure: str
    """What to do about it."""
    log: tuple[str, ...] = ()
    """The end of its stderr, where that may tell why; harmless to show."""
    again: tuple[str, ...] = ()
    """Where else it was found."""


def gathered(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, faults first; of those with the same cure, the first, with where the others were."""
    told: dict[tuple[Weight, str], Finding] = {}
    for one in found:
        key = (one.weight, one.cure)
        first = told.setdefault(key, one)
        if first is not one and one.where not in (first.where, *first.again):
            told[key] = replace(first, again=(*first.again, one.where))
    return tuple(sorted(told.values(), key=lambda one: one.weight is not Weight.FAULT))
