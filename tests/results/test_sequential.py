"""The sequential test of a duel: its error rates, its interval, and what it makes of the scores of
matches.
"""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.results.sequential import (
    Decision,
    Question,
    SequentialTest,
    difference,
    elo_of_points,
    points_of_elo,
)
from arena.results.standings import standings
from tests.support.finished import result

WIDE = Question(low=0, high=20)
DUELS = 300
MOST_ROUNDS = 400


def decide(question, draw):
    """Return the test after its decision, or after MOST_ROUNDS rounds."""
    test = SequentialTest(question)
    while test.decision is None and len(test.differences) < MOST_ROUNDS:
        test.add(draw())
    return test


def decisive(dice, mean):
    """Two legs without draws, each won or lost."""
    return 50 * sum(1 if dice.random() < 0.5 + mean / 200 else -1 for _ in range(2))


def by_role(dice, mean):
    """The first role nearly always wins, so that nearly all pairings are even."""
    return 50 * sum(1 if dice.random() < chance + mean / 200 else -1 for chance in (0.88, 0.12))


def rare_disaster(dice, mean):
    """Slightly ahead in most pairings, and crushed in one of ten: the first rounds seldom show the
    variance.
    """
    return -100 if dice.random() < 0.1 else (mean + 10) / 0.9


@pytest.mark.parametrize("draw", [decisive, by_role, rare_disaster])
@pytest.mark.parametrize(("mean", "wrong"), [(0, Decision.BETTER), (20, Decision.NOT_BETTER)])
def test_a_decision_is_wrong_as_seldom_as_promised_whatever_the_scores_look_like(draw, mean, wrong):
    dice = random.Random(f"{draw.__name__} {mean}")
    decisions = [decide(WIDE, lambda: draw(dice, mean)).decision for _ in range(DUELS)]
    # Three standard deviations above 5 %, so that a right test fails one time in a thousand seeds.
    assert decisions.count(wrong) / DUELS <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / DUELS)
    assert decisions.count(None) < DUELS / 5


@pytest.mark.parametrize(("mean", "right"), [(40, Decision.BETTER), (-20, Decision.NOT_BETTER)])
def test_bots_that_are_far_apart_are_told_apart_quickly(mean, right):
    dice = random.Random(mean)
    tests = [decide(WIDE, lambda: decisive(dice, mean)) for _ in range(50)]
    assert {test.decision for test in tests} == {right}
    assert sum(len(test.differences) for test in tests) / 50 < 40


@pytest.mark.parametrize(
    ("score", "decision"), [(0, "not better"), (5, "better"), (100, "better"), (-100, "not better")]
)
def test_results_that_never_vary_are_decided_too(score, decision):
    assert decide(Question(low=0, high=5), lambda: score).decision == decision


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([-100.0, -50.0, 0.0, 12.5, 50.0, 100.0]), max_size=60),
    st.floats(-60, 40),
)
def test_the_interval_contains_the_mean_and_agrees_with_the_decision(scores, low):
    test = SequentialTest(Question(low=low, high=low + 30, alpha=0.1, beta=0.02))
    for score in scores:
        if test.decision is None:
            test.add(score)
    lowest, highest = test.interval()
    assert -100 <= lowest <= test.mean + 1e-6
    assert test.mean - 1e-6 <= highest <= 100
    if test.decision is Decision.BETTER:
        assert lowest >= low - 1e-6
    elif test.decision is Decision.NOT_BETTER:
        assert highest <= low + 30 + 1e-6
    else:
        assert lowest <= low + 1e-6
        assert highest >= low + 30 - 1e-6


def test_the_interval_contains_the_truth_also_when_it_is_read_at_the_decision():
    dice = random.Random(4)
    intervals = [decide(WIDE, lambda: decisive(dice, 12)).interval() for _ in range(DUELS // 2)]
    missed = sum(not low <= 12 <= high for low, high in intervals)
    assert missed / len(intervals) <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / len(intervals))


def test_a_decided_test_takes_no_more_rounds():
    test = decide(WIDE, lambda: 100)
    with pytest.raises(ValueError, match="has been decided"):
        test.add(0)


def test_a_test_of_a_fixed_number_of_rounds_takes_all_of_them_whatever_they_prove():
    test = SequentialTest(WIDE, decides=False)
    for _ in range(100):
        test.add(100)
    assert test.llr_better > test.bound_better
    assert (test.decision, test.mean) == (None, 100)


def test_nothing_is_known_before_the_first_round():
    test = SequentialTest(WIDE)
    low, high = test.interval()
    assert (test.mean, round(low, 6), round(high, 6)) == (0, -100, 100)


@pytest.mark.parametrize(
    "wrong",
    [
        {"low": 5, "high": 5},
        {"low": -100},
        {"high": 100},
        {"alpha": 0},
        {"beta": 0.5},
        {"low": math.nan},
    ],
)
def test_a_question_without_an_answer_is_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        Question(**wrong)


@settings(max_examples=20)
@given(st.floats(-1500, 1500))
def test_elo_becomes_points_and_comes_back(elo):
    assert elo_of_points(points_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_elo_stands_for_the_expected_score():
    assert points_of_elo(0) == 0
    assert (100 + points_of_elo(400)) / 200 == pytest.approx(10 / 11)
    assert elo_of_points(100) == math.inf


@settings(max_examples=10)
@given(st.data())
def test_the_difference_of_a_round_is_that_of_the_points_in_the_standings(data):
    score = st.integers(0, 100)
    matches = []
    for label, sides in (
        ("maze/duel", (("fox",), ("dog",))),
        ("park/hunt", (("hare",), ("cat", "dog"))),
    ):
        for first, second in (("ann", "bob"), ("bob", "ann")):
            bots = " ".join(
                bot for side, bot in zip(sides, (first, second), strict=True) for _ in side
            )
            scores = [data.draw(score) for _ in bots.split()]
            matches.append(result(sides, bots, *scores, label=label))
    points = {standing.bot: standing.points for standing in standings(["ann", "bob"], matches)}
    assert difference(matches, "ann", "bob") == pytest.approx(points["ann"] - points["bob"])
