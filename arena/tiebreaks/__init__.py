"""What places bots of equal points: one file a tie-break, found by its name, with the function of `Rule`.

They are FIDE's (Handbook C.07, in force from 1 August 2024), as an event's list orders them. Of FIDE's list those are
left out that need ratings from elsewhere, colours or rounds: matches here have no order. Pure, and exact: fractions.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from arena.errors import ArenaError, known_are
from arena.tiebreaks._crosstable import Crosstable, Encounters, counted, crosstable

__all__ = ["Crosstable", "Encounters", "Placed", "Rule", "counted", "crosstable", "find", "names", "place"]

Values = Mapping[str, Fraction | None]


class Rule(Protocol):
    """What a file in this folder is."""

    def values(self, table: Crosstable, tied: Collection[str]) -> Values:
        """A figure for each of the tied bots, the highest placed first; None comes last, and is not told apart."""
        ...


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Where a bot stands, and by what."""

    rank: int
    """Bots that no tie-break told apart share one (1, 1, 3)."""
    bot: str
    tiebreaks: Values
    """The figures that were looked at, by tie-break, in order; none for a bot whose points are its alone."""


def names() -> tuple[str, ...]:
    """The tie-breaks there are."""
    return tuple(found.name for found in iter_modules(__path__) if not found.name.startswith("_"))


def find(name: str) -> Rule:
    """The tie-break of that name; ArenaError when there is none."""
    if name not in names():
        raise ArenaError(f"tie_breaks: there is no {name!r}; {known_are(name, names())}")
    return cast("Rule", import_module(f"{__name__}.{name}"))


def place(points: Mapping[str, float], table: Crosstable, tiebreaks: Sequence[str]) -> tuple[Placed, ...]:
    """Every bot's place, best first: by points, then by each tie-break in turn; those still tied in order of name."""
    looked: dict[str, dict[str, Fraction | None]] = {bot: {} for bot in points}
    rules = [(name, find(name)) for name in tiebreaks]
    groups = [tied for same in _groups(points) for tied in _apart(table, same, rules, looked)]
    rank, placed = 1, []
    for tied in groups:
        placed += [Placed(rank=rank, bot=bot, tiebreaks=looked[bot]) for bot in tied]
        rank += len(tied)
    return tuple(placed)


def _apart(
    table: Crosstable,
    tied: list[str],
    rules: Sequence[tuple[str, Rule]],
    looked: Mapping[str, dict[str, Fraction | None]],
) -> Iterator[list[str]]:
    """Tied bots in groups that are told apart; who is still tied after a tie-break has it again, among themselves.

    So FIDE's C.07 6.2 wants it of the direct encounter; no other figure depends on who is tied.
    """
    if len(tied) == 1 or not rules:
        yield tied
        return
    name, rule = rules[0]
    values = rule.values(table, tied)
    for bot in tied:
        if looked[bot].get(name) is None:
            looked[bot][name] = values[bot]
    groups = _groups(values)
    for group in groups:
        yield from _apart(table, group, rules if len(groups) > 1 else rules[1:], looked)


def _groups(values: Mapping[str, Fraction | None] | Mapping[str, float]) -> list[list[str]]:
    """Bots of equal values together, the highest first, None last; in each group by name."""
    groups: dict[object, list[str]] = {}
    for bot in sorted(values, key=lambda bot: (values[bot] is None, -(values[bot] or 0), bot)):
        groups.setdefault(values[bot], []).append(bot)
    return list(groups.values())
