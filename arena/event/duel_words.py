"""The result of a duel in sentences of names and figures, which everybody may read."""

import math
from collections.abc import Iterator

from arena.errors import counted
from arena.event.duel import Duel
from arena.protocol import clean
from arena.results.sequential import Decision

FEWEST_ALIKE = 10
"""The number of rounds with one and the same result from which on a notice says so."""
LONGEST_NAME = 200


def pairings_of(duel: Duel) -> str:
    """Return the number of pairings that count, in words."""
    return counted(duel.pairings, "pairing")


def evidence(duel: Duel) -> Iterator[str]:
    """Yield the difference so far, and how near the test is to each decision."""
    test = duel.test
    low, high = map(duel.scale.text, test.interval())
    interval = f"with {100 * test.level:g} % confidence between {low} and {high}"
    yield f"difference {duel.scale.text(test.mean)} {duel.scale.unit}, {interval}"
    bot = _name(duel.names[0])
    better = _share(test.llr_better, test.bound_better)
    not_better = _share(test.llr_not_better, test.bound_not_better)
    yield (
        f"evidence that {bot} is better: {better} of what is needed; that it is not: {not_better}"
    )


def _share(llr: float, bound: float) -> str:
    """Return how much there is of the evidence that an answer needs.

    Nothing while the evidence speaks against that answer, and 100 % only where it is complete.
    """
    share = min(max(llr / bound, 0.0), 1.0)
    per_cent = math.floor(100 * share)
    return f"{per_cent} %"


def report(duel: Duel) -> Iterator[str]:
    """Yield the outcome in sentences of names and figures only, which everybody may read."""
    test = duel.test
    bot, opponent = map(_name, duel.names)
    boards = ", ".join(board.label for board in duel.event.boards)
    matches = duel.rounds * duel.round_matches
    yield f"{bot} against {opponent} on {boards}: {pairings_of(duel)}, {matches} matches"
    yield from evidence(duel)
    for name, faults in faults_of(duel).items():
        yield f"{_name(name)} failed: {faults}"
    yield from _answer(duel, bot, opponent)
    if len(test.differences) >= FEWEST_ALIKE and len(set(test.differences)) == 1:
        yield (
            "Every pairing had the same result: if neither bots nor boards leave anything to "
            "chance, more pairings tell nothing new; other openings might (--set openings.plies=8)."
        )


def _answer(duel: Duel, bot: str, opponent: str) -> Iterator[str]:
    """Yield the answer of the test to its question, or why it has none."""
    test = duel.test
    question = test.question
    low = f"{duel.scale.of_points(question.low):.4g} {duel.scale.unit}"
    high = f"{duel.scale.of_points(question.high):.4g} {duel.scale.unit}"
    if test.decision is Decision.BETTER:
        if duel.won_by_faults_alone:
            yield (
                f"where {opponent} was not at fault, {bot} was not ahead: "
                "the answer rests on these faults alone"
            )
        margin = ""
        if question.low:
            margin = f" by more than {low}"
        yield f"yes: {bot} is better than {opponent}{margin}{_errors(question.alpha)}"
    elif test.decision is Decision.NOT_BETTER and test.interval()[1] < 0:
        yield f"no: {bot} is worse than {opponent}"
    elif test.decision is Decision.NOT_BETTER:
        margin = ""
        if question.high:
            margin = f" by {high} or more"
        yield f"no: {bot} is not better than {opponent}{margin}{_errors(question.beta)}"
    elif duel.is_over:
        yield (
            f"undecided after {pairings_of(duel)}, the limit: {_ahead(duel)}; a higher limit of "
            "pairings may decide it"
        )
    else:
        yield f"undecided: the duel ended early, after {pairings_of(duel)}; {_ahead(duel)}"


def _ahead(duel: Duel) -> str:
    """Return who was better so far."""
    mean = duel.test.mean
    if mean == 0:
        return "so far both are equal"
    bot, opponent = map(_name, duel.names)
    leader = opponent
    if mean > 0:
        leader = bot
    return f"so far {leader} is better, but that is not proven"


def _errors(share: float) -> str:
    """Return how often such an answer is wrong."""
    return f" (at most {100 * share:g} % of duels give this answer wrongly)"


def faults_of(duel: Duel) -> dict[str, str]:
    """Return the bots at fault, each with the number of its matches by ending, in words."""
    in_order = sorted(duel.faults.items())
    endings: dict[str, list[str]] = {}
    for (bot, ending), times in in_order:
        endings_of_bot = endings.setdefault(bot, [])
        endings_of_bot.append(f"{times} x {ending}")
    return {bot: ", ".join(counts) for bot, counts in endings.items()}


def _name(name: str) -> str:
    """Return the name of a bot, safe to print."""
    return clean(name, LONGEST_NAME)
