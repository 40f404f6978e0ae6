"""What an event has paid for its language model, and what the matches to come will cost, by those that were played."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arena.event.model import TAPE_FILE
from arena.event.model.tape import Tape
from arena.results.archive import Archive, NoResultsError

MOST_MATCHES = 300
"""Matches that an estimate reads."""


class Paid(NamedTuple):
    """Tokens, and what they cost."""

    tokens: float
    cost: float


def paid(folder: Path) -> Paid:
    """Return what the calls of an event have taken from its budget so far."""
    if not (folder / TAPE_FILE).exists():
        return Paid(0, 0.0)
    tape = Tape(folder / TAPE_FILE, writing=False)
    return Paid(tape.tokens, tape.cost)


def expected(folder: Path, due: Mapping[str, int]) -> Paid | None:
    """Return what matches to come take, by their number on each `game/board`; None while nothing was played.

    A board that was never played takes as much as the others.
    """
    matches: defaultdict[str, int] = defaultdict(int)
    sums: defaultdict[str, Paid] = defaultdict(lambda: Paid(0, 0.0))
    try:
        with Archive.open(folder) as archive:
            for record in archive.records(MOST_MATCHES):
                label, terms = record.match.label, record.match.conditions.model
                matches[label] += 1
                for answer in (call.answer for call in record.calls):
                    cost = terms.price(answer.tokens_in, answer.tokens_out) if terms else 0.0
                    tokens = answer.tokens_in + answer.tokens_out
                    sums[label] = Paid(sums[label].tokens + tokens, sums[label].cost + cost)
    except NoResultsError:
        return None
    if not matches:
        return None
    means = {label: Paid(*(each / number for each in sums[label])) for label, number in matches.items()}
    totals = [sum(each) for each in zip(*sums.values(), strict=True)] or [0, 0.0]
    overall = Paid(*(total / sum(matches.values()) for total in totals))
    wanted = [(number, means.get(label, overall)) for label, number in due.items()]
    return Paid(sum(n * mean.tokens for n, mean in wanted), sum(n * mean.cost for n, mean in wanted))
