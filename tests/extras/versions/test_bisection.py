"""The search for a regression, with dice in place of bots: how often it is right, and its price."""

import random
from collections.abc import Sequence

import pytest

from arena.extras.versions.bisection import Answer, PairTest, Result, search
from arena.results.sequential import Decision, Question, SequentialTest

QUESTION = Question(low=0.0, high=5.0)


class Dice:
    """Compares versions of known strength, in points, by matches of dice."""

    def __init__(self, strengths: Sequence[float], seed: int, most: int = 5000) -> None:
        self.strengths = strengths
        self.draw = random.Random(seed)
        self.most = most
        self.pairings = 0

    def __call__(self, first: int, second: int, question: Question) -> PairTest:
        """Play pairings of two matches, each won or lost, until the test has decided."""
        test = SequentialTest(question)
        chance = (100 + self.strengths[first] - self.strengths[second]) / 200
        while test.decision is None and len(test.differences) < self.most:
            wins = sum(self.draw.random() < chance for _ in range(2))
            test.add((wins - 1) * 100.0)
        played = len(test.differences)
        self.pairings += played
        return PairTest(decision=test.decision, difference=test.mean, pairings=played)


def found(dice: Dice) -> Result:
    return search(len(dice.strengths), QUESTION, dice, [].append)


def culprit_in(seed: int, versions: int, loss: float) -> tuple[list[float], int]:
    """Return a history with one loss, and the version that has it."""
    culprit = random.Random(f"culprit {seed}").randrange(1, versions)
    return [0.0 if version < culprit else -loss for version in range(versions)], culprit


def neighbours(dice: Dice) -> list[int]:
    """Play every version against the one before it; return those that are proven worse."""
    versions = len(dice.strengths)
    share = Question(low=0.0, high=5.0, alpha=0.05 / (versions - 1), beta=0.05 / (versions - 1))
    worse = []
    for version in range(1, versions):
        if dice(version - 1, version, share).decision is Decision.BETTER:
            worse.append(version)
    return worse


def test_a_known_culprit_is_found_in_nearly_all_histories():
    right = 0
    for seed in range(30):
        strengths, culprit = culprit_in(seed, 9, 40.0)
        result = found(Dice(strengths, seed))
        right += result.answer is Answer.FOUND and result.culprit == culprit
    assert right >= 27


def test_where_the_last_version_is_no_worse_only_the_ends_are_compared():
    result = found(Dice([0, -20, 30, 0, 10], 1))
    assert (result.answer, result.culprit, len(result.steps)) == (Answer.NOT_WORSE, None, 1)


@pytest.mark.parametrize("seed", range(3))
def test_a_history_that_goes_up_and_down_ends_at_a_version_that_is_worse(seed):
    strengths = [0, 30, -30, 10, -30, -20, -60, -30]
    result = found(Dice(strengths, seed))
    assert result.answer is Answer.FOUND
    assert strengths[result.culprit] < strengths[result.before]


def test_undecided_steps_take_the_nearer_side_and_only_a_proof_is_an_answer():
    def compare(first, second, question):
        if (first, second) == (0, 4):
            return PairTest(decision=Decision.BETTER, difference=40.0)
        worse = second >= 3 > first
        return PairTest(decision=None, difference=40.0 if worse else 0.0)

    result = search(5, QUESTION, compare, [].append)
    assert (result.answer, result.before, result.culprit) == (Answer.UNDECIDED, 2, 3)
    assert [step.second for step in result.steps if step.is_worse] == [4, 3, 3]


def test_a_version_that_cannot_play_is_left_out():
    def compare(first, second, question):
        if second == 2:
            return None
        worse = second >= 3 > first
        decision = Decision.BETTER if worse else Decision.NOT_BETTER
        return PairTest(decision=decision, difference=40.0 if worse else 0.0)

    result = search(5, QUESTION, compare, [].append)
    assert (result.answer, result.before, result.culprit) == (Answer.FOUND, 1, 3)


def test_errors_of_the_steps_add_up_to_those_that_the_user_allows():
    asked = []

    def compare(first, second, question):
        asked.append(question)
        return PairTest(decision=Decision.BETTER, difference=80.0)

    result = search(9, QUESTION, compare, [].append)
    assert (result.before, result.culprit) == (0, 1)
    assert asked[0] == QUESTION
    assert [question.high for question in asked[1:]] == [40.0] * 3
    assert sum(question.alpha for question in asked[1:]) == pytest.approx(QUESTION.alpha)
