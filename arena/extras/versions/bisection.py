"""The search for the version that made a bot worse. Pure: results of comparisons in, an answer out.

It knows no bot and no match: versions are numbers in order of time, and the caller compares two of
them with a sequential test.
"""

# Which comparisons, and what is proven
# -------------------------------------
# 1. The first version against the last. If the first is not better, there is nothing to find.
# 2. Bisection: the first version against the middle of the versions between the newest that is as
#    good as the first and the oldest that is worse. The reference is always the first version: the
#    error of a step then does not add to the next, and a slow decline is no series of small steps
#    of which none is proven. The loss to find is half of what the last version has lost (or the
#    bound of the user, if that is more). It is known from 1., and needs far fewer matches than a
#    loss that might be small. The allowed errors are divided among the steps.
# 3. The version before the culprit against the culprit. This test alone proves the answer: however
#    wrong a step was, or however the history goes up and down, a version that is not worse than the
#    one before it is named with a probability of at most alpha.
#
# A step whose test ends undecided takes the nearer side, so the search always ends: 3. decides
# whether the result counts. A version that cannot play is left out.

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from arena.results.sequential import Decision, Question


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """What a test found about two versions."""

    decision: Decision | None
    """Whether the first is better; None if the test ended undecided."""
    difference: float
    """How many points the first had more."""
    pairings: int = 0


Compare = Callable[[int, int, Question], PairTest | None]
"""Compares two versions, the older first; returns None if the newer cannot play."""


class Answer(StrEnum):
    """What the search found."""

    FOUND = "found"
    NOT_WORSE = "not worse"
    """The last version is not worse than the first."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class BisectionStep:
    """A comparison of the search."""

    first: int
    second: int
    comparison: PairTest
    is_worse: bool
    """Whether the search takes the second for worse; the nearer side if the test was undecided."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The answer, and the way to it."""

    answer: Answer
    steps: tuple[BisectionStep, ...]
    before: int = 0
    culprit: int | None = None
    """The version that is worse than `before`, the one before it; None if the search did not get
    to one. It is proven only where the answer is FOUND."""


def search(
    versions: int,
    question: Question,
    compare: Compare,
    hear: Callable[[BisectionStep], None],
) -> Result:
    """Return which of the versions 0, 1, ... is worse than the one before it.

    `question` has the loss to find and the errors that are allowed: with a probability of at most
    `alpha` a version is named that is not worse. `hear` gets each step as soon as it is known.
    """
    steps: list[BisectionStep] = []

    def step(
        first: int,
        second: int,
        bounds: Question,
    ) -> BisectionStep | None:
        comparison = compare(first, second, bounds)
        if comparison is None:
            return None
        is_worse = comparison.decision is Decision.BETTER
        if comparison.decision is None:
            middle = (bounds.low + bounds.high) / 2
            is_worse = comparison.difference > middle
        tested = BisectionStep(
            first=first,
            second=second,
            comparison=comparison,
            is_worse=is_worse,
        )
        steps.append(tested)
        hear(tested)
        return tested

    last = versions - 1
    ends = step(0, last, question)
    if ends is None or ends.comparison.decision is None:
        return Result(answer=Answer.UNDECIDED, steps=tuple(steps))
    if not ends.is_worse:
        return Result(answer=Answer.NOT_WORSE, steps=tuple(steps))

    loss = max(question.high, ends.comparison.difference / 2)
    wide_question = replace(question, high=loss)
    tests = max(1, math.ceil(math.log2(last)))
    share = replace(
        wide_question,
        alpha=question.alpha / tests,
        beta=question.beta / tests,
    )
    proof: BisectionStep | None = ends
    suspects = list(range(versions))
    while len(suspects) > 2:
        half = len(suspects) // 2
        tested = step(0, suspects[half], share)
        if tested is None:
            del suspects[half]
        elif tested.is_worse:
            suspects = suspects[: half + 1]
            proof = tested
        else:
            suspects = suspects[half:]
    before, culprit = suspects
    if before != 0:
        proof = step(before, culprit, wide_question)
    answer = Answer.UNDECIDED
    if proof is not None and proof.comparison.decision is Decision.BETTER:
        answer = Answer.FOUND
    return Result(
        answer=answer,
        steps=tuple(steps),
        before=before,
        culprit=culprit,
    )
