"""What an event has paid for its language models, and what the matches to come will cost.

The estimate is by the matches that were played.
"""

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
    event: Event,
    folder: Path,
    tables: Mapping[str, tuple[str, "ModelTable"]],
) -> Iterator[str]:
    """Yield what the matches to come will cost, and what the budget of each model has left.

    `tables` has by alias the name of a table in tournament.toml, and the table.
    """
    due = Counter(plan.counts(event))
    estimate = None
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        stored = plan.Plan(event, archive).stored()
        due.subtract(match.label for match in stored)
        estimate = _expected(archive, due)
    if estimate is None:
        yield "model: what the matches take is known when the first are played"
    else:
        cost = ""
        if estimate.cost:
            cost = f", which cost {estimate.cost:.4g}"
        yield (
            f"model: the matches to come take about {estimate.tokens:,.0f} tokens{cost}, an "
            "estimate by those played"
        )

    tape = None
    path = folder / TAPE_FILE
    if path.exists():
        tape = Tape(path, writing=False)
    for alias, (key, table) in tables.items():
        paid = Paid(0, 0.0)
        if tape is not None:
            paid = Paid(*tape.paid(alias))
        if table.event_tokens is not None:
            yield _left(key, table.event_tokens, paid.tokens, " tokens")
        if table.event_cost is not None:
            yield _left(key, table.event_cost, paid.cost, "")


def _left(
    key: str,
    budget: float,
    paid: float,
    unit: str,
) -> str:
    """Return what is left of a budget, in a sentence."""
    left = max(0, budget - paid)
    return f"{key}: {left:,.10g} of the budget of {budget:,.10g}{unit} are left"


def _expected(archive: Archive, due: Mapping[str, int]) -> Paid | None:
    """Return what the matches to come take; None while nothing was played.

    `due` has their number on each `game/board`. A board that was never played takes as much as the
    mean of all others.
    """
    matches: defaultdict[str, int] = defaultdict(int)
    tokens: defaultdict[str, float] = defaultdict(float)
    costs: defaultdict[str, float] = defaultdict(float)
    for record in archive.records(MOST_MATCHES):
        label = record.match.label
        conditions = record.match.conditions
        terms_of = {seat.role: conditions.model_of(seat.bot) for seat in record.match.seats}
        matches[label] += 1
        for call in record.calls:
            answer = call.answer
            terms = terms_of.get(call.role)
            tokens[label] += answer.tokens_in + answer.tokens_out
            if terms is not None:
                costs[label] += terms.cost_of(answer)
    if not matches:
        return None

    played = sum(matches.values())
    overall_tokens = sum(tokens.values()) / played
    overall_cost = sum(costs.values()) / played
    expected_tokens = 0.0
    expected_cost = 0.0
    for label, number in due.items():
        mean_tokens = overall_tokens
        mean_cost = overall_cost
        if label in matches:
            mean_tokens = tokens[label] / matches[label]
            mean_cost = costs[label] / matches[label]
        expected_tokens += number * mean_tokens
        expected_cost += number * mean_cost
    return Paid(expected_tokens, expected_cost)
