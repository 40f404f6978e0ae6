"""What an event has paid for its language model, and what the matches to come will cost, by those that were played."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.event import plan
from arena.extras.models.asking import TAPE_FILE
from arena.extras.models.tape import Tape
from arena.results.archive import Archive, NoResultsError
from arena.values import Event

if TYPE_CHECKING:
    from arena.extras.models.table import ModelTable

MOST_MATCHES = 300
"""Matches that an estimate reads."""


class Paid(NamedTuple):
    """Tokens, and what they cost."""

    tokens: float
    cost: float


def sentences(
    event: Event, folder: Path, tables: Mapping[str, tuple[str, "ModelTable"]]
) -> Iterator[str]:
    """Yield what the matches to come will cost, and what the budget of each model has left.

    `tables` has by alias the name of a table in tournament.toml, and the table.
    """
    due, wanted = Counter(plan.counts(event)), None
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        due.subtract(match.label for match in plan.Plan(event, archive).stored())
        wanted = _expected(archive, due)
    if wanted is None:
        yield "model: what the matches take is known when the first are played"
    else:
        cost = f", which cost {wanted.cost:.4g}" if wanted.cost else ""
        yield f"model: the matches to come take about {wanted.tokens:,.0f} tokens{cost}, an estimate by those played"
    tape = Tape(folder / TAPE_FILE, writing=False) if (folder / TAPE_FILE).exists() else None
    for alias, (key, table) in tables.items():
        paid = Paid(0, 0.0) if tape is None else Paid(*tape.paid(alias))
        for limit, spent, unit in ((table.event_tokens, paid.tokens, " tokens"), (table.event_cost, paid.cost, "")):
            if limit is not None:
                yield f"{key}: {max(0, limit - spent):,.10g} of the budget of {limit:,.10g}{unit} are left"


def _expected(archive: Archive, due: Mapping[str, int]) -> Paid | None:
    """Return what matches to come take, by their number on each `game/board`; None while nothing was played.

    A board that was never played takes as much as the others.
    """
    matches: defaultdict[str, int] = defaultdict(int)
    sums: defaultdict[str, Paid] = defaultdict(lambda: Paid(0, 0.0))
    for record in archive.records(MOST_MATCHES):
        label = record.match.label
        terms_of = {seat.role: record.match.conditions.model_of(seat.bot) for seat in record.match.seats}
        matches[label] += 1
        for call in record.calls:
            answer, terms = call.answer, terms_of.get(call.role)
            cost = terms.cost_of(answer) if terms else 0.0
            tokens = answer.tokens_in + answer.tokens_out
            sums[label] = Paid(sums[label].tokens + tokens, sums[label].cost + cost)
    if not matches:
        return None
    means = {label: Paid(*(each / number for each in sums[label])) for label, number in matches.items()}
    totals = [sum(each) for each in zip(*sums.values(), strict=True)] or [0, 0.0]
    overall = Paid(*(total / sum(matches.values()) for total in totals))
    wanted = [(number, means.get(label, overall)) for label, number in due.items()]
    return Paid(sum(n * mean.tokens for n, mean in wanted), sum(n * mean.cost for n, mean in wanted))
