"""A duel in words: how far it is, its outcome in sentences, and its row for `--json`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli import output, paths

if TYPE_CHECKING:
    from arena.event.duel import Duel, Scale

FEWEST_ALIKE = 10  # rounds with one and the same result, before a notice says so


def pairings(duel: "Duel") -> str:
    """Return the number of pairings that count, in words."""
    return output.counted(duel.rounds * duel.pairings_a_round, "pairing")


def evidence(duel: "Duel") -> Iterator[str]:
    """Yield the difference so far, and how near the test is to each decision."""
    test = duel.test
    low, high = map(duel.scale.text, test.interval())
    interval = f"{100 * test.level:g} % interval {low} to {high}"
    yield f"difference {duel.scale.text(test.mean)} {duel.scale.unit} ({interval})"
    yield f"better: LLR {test.llr_better:+.2f} of {test.bound_better:.2f}"
    yield f"not better: LLR {test.llr_not_better:+.2f} of {test.bound_not_better:.2f}"


def report(duel: "Duel") -> Iterator[str]:
    """Yield the outcome in sentences."""
    from arena.results.sequential import Decision

    test, scale, question = duel.test, duel.scale, duel.test.question
    bot, opponent = map(output.safe_line, duel.names)
    boards = ", ".join(board.label for board in duel.event.boards)
    yield f"{bot} against {opponent} on {boards}: {pairings(duel)}, {duel.rounds * duel.round_matches} matches"
    yield from evidence(duel)
    for name, faults in sorted(_faults(duel)):
        yield f"{output.safe_line(name)} failed: {faults}"
    low, high = _bound(question.low, scale), _bound(question.high, scale)
    if test.decision is Decision.BETTER:
        yield f"yes: {bot} is better than {opponent}" + (f" by more than {low}" if question.low else "")
    elif test.decision is Decision.NOT_BETTER and test.interval()[1] < 0:
        yield f"no: {bot} is worse than {opponent}"
    elif test.decision is Decision.NOT_BETTER:
        yield f"no: {bot} is not better than {opponent}" + (f" by {high} or more" if question.high else "")
    elif duel.is_over:
        yield (
            f"undecided after {pairings(duel)}, the limit: neither more than {low} nor less than {high} is proven; "
            "with a larger --max-pairings the duel goes on"
        )
    else:
        yield f"undecided: {pairings(duel)} were complete when the duel ended early"
    if len(test.differences) >= FEWEST_ALIKE and len(set(test.differences)) == 1:
        yield (
            "Every pairing had the same result: if neither bots nor boards leave anything to chance, more pairings "
            "tell nothing new; other openings might (--set openings.plies=8)."
        )


def _bound(points: float, scale: "Scale") -> str:
    return f"{scale.of_points(points):.4g} {scale.unit}"


def _faults(duel: "Duel") -> Iterator[tuple[str, str]]:
    """Yield the bots at fault, each with the number of its seats by ending."""
    for name in duel.names:
        endings = [f"{times} x {ending}" for (bot, ending), times in sorted(duel.faults.items()) if bot == name]
        if endings:
            yield name, ", ".join(endings)


def row(duel: "Duel", folder: Path) -> dict[str, object]:
    """Return the outcome for `--json`; differences and bounds are in `unit`."""
    test, question, of_points = duel.test, duel.test.question, duel.scale.of_points
    low, high = test.interval()
    figures: Iterable[tuple[str, float]] = (
        ("difference", of_points(test.mean)),
        ("low", of_points(low)),
        ("high", of_points(high)),
        ("level", test.level),
        ("bound_low", of_points(question.low)),
        ("bound_high", of_points(question.high)),
        ("alpha", question.alpha),
        ("beta", question.beta),
        ("llr_better", test.llr_better),
        ("llr_better_bound", test.bound_better),
        ("llr_not_better", test.llr_not_better),
        ("llr_not_better_bound", test.bound_not_better),
    )
    return {
        "bot": duel.names[0],
        "opponent": duel.names[1],
        "verdict": test.decision or "undecided",
        "boards": [board.label for board in duel.event.boards],
        "pairings": duel.rounds * duel.pairings_a_round,
        "matches": duel.rounds * duel.round_matches,
        "unit": duel.scale.unit,
        **{key: round(value, 4) + 0.0 for key, value in figures},  # 0.0 for -0.0
        "faults": dict(_faults(duel)),
        "results": paths.displayed(folder),
    }
