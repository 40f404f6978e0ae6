"""What a duel has shown, in sentences of names and figures: everybody may read them."""

from collections.abc import Iterator

from arena.errors import counted
from arena.event.duel import Duel
from arena.protocol import clean
from arena.results.sequential import Decision

FEWEST_ALIKE = 10  # rounds with one and the same result, before a notice says so
LONGEST_NAME = 200


def pairings_of(duel: Duel) -> str:
    """Return the number of pairings that count, in words."""
    return counted(duel.pairings, "pairing")


def evidence(duel: Duel) -> Iterator[str]:
    """Yield the difference so far, and how near the test is to each decision."""
    test = duel.test
    low, high = map(duel.scale.text, test.interval())
    interval = f"{100 * test.level:g} % interval {low} to {high}"
    yield f"difference {duel.scale.text(test.mean)} {duel.scale.unit} ({interval})"
    yield f"better: LLR {test.llr_better:+.2f} of {test.bound_better:.2f}"
    yield f"not better: LLR {test.llr_not_better:+.2f} of {test.bound_not_better:.2f}"


def report(duel: Duel) -> Iterator[str]:
    """Yield the outcome in sentences, of names and figures only: everybody may read them."""
    test, scale, question = duel.test, duel.scale, duel.test.question
    bot, opponent = map(_name, duel.names)
    boards = ", ".join(board.label for board in duel.event.boards)
    yield f"{bot} against {opponent} on {boards}: {pairings_of(duel)}, {duel.rounds * duel.round_matches} matches"
    yield from evidence(duel)
    for name, faults in faults_of(duel).items():
        yield f"{_name(name)} failed: {faults}"
    low, high = (
        f"{scale.of_points(points):.4g} {scale.unit}" for points in (question.low, question.high)
    )
    if test.decision is Decision.BETTER:
        if duel.won_by_faults_alone:
            yield f"where {opponent} was not at fault, {bot} was not ahead: the answer rests on these faults alone"
        yield f"yes: {bot} is better than {opponent}" + (
            f" by more than {low}" if question.low else ""
        )
    elif test.decision is Decision.NOT_BETTER and test.interval()[1] < 0:
        yield f"no: {bot} is worse than {opponent}"
    elif test.decision is Decision.NOT_BETTER:
        yield f"no: {bot} is not better than {opponent}" + (
            f" by {high} or more" if question.high else ""
        )
    elif duel.is_over:
        yield (
            f"undecided after {pairings_of(duel)}, the limit: neither more than {low} nor less than {high} is proven; "
            "with a larger --max-pairings the duel goes on"
        )
    else:
        yield f"undecided: {pairings_of(duel)} were complete when the duel ended early"
    if len(test.differences) >= FEWEST_ALIKE and len(set(test.differences)) == 1:
        yield (
            "Every pairing had the same result: if neither bots nor boards leave anything to chance, more pairings "
            "tell nothing new; other openings might (--set openings.plies=8)."
        )


def faults_of(duel: Duel) -> dict[str, str]:
    """Return the bots at fault, each with the number of its matches by ending."""
    endings: dict[str, str] = {}
    for (bot, ending), times in sorted(duel.faults.items()):
        endings[bot] = (
            f"{endings[bot]}, {times} x {ending}" if bot in endings else f"{times} x {ending}"
        )
    return endings


def _name(name: str) -> str:
    return clean(name, LONGEST_NAME)
