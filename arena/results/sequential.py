"""A sequential test of two bots: how many points better the first is.

It is decided as soon as the scores prove it. Pure: differences of scores in, a decision out. It
knows no match that is still to be played, and no clock.
"""

# Which test, and why
# -------------------
# An observation is a round of the duel: all distributions of the roles over the two bots, on each
# board, with one seed for each board. Its value is the difference of the points of the two bots in
# that round, from -100 to 100. Rounds are independent and have one distribution, however much the
# legs of a round depend on each other (they share their seed) and whatever a role or a board is
# worth. Single matches have neither property.
#
# The question: is the mean difference at most `low`, or at least `high`? The test should not assume
# a distribution. The scores of two bots are mostly lumps (a role that always wins makes nearly
# every difference 0), and their variance is not known. Three formulations were compared
# (benchmarks/sprt.py measures them side by side):
#
# 1. The generalised SPRT of fishtest, from the mean and the variance so far: n (high - low) (mean -
#    middle) / variance against log((1 - beta) / alpha) (M. Van den Bergh, "A practical introduction
#    to the GSPRT"). It is right for many observations. Ours are few, and the variance of the first
#    ones is often 0, which decides at once. With the first 16 rounds ignored and a prior of one
#    round it still errs in 9 % of duels where one role nearly always wins, and in 37 % where a bot
#    rarely fails but then loses by everything (both promised: 5 %).
# 2. The likelihood ratio of a normal distribution whose variance is fitted under each hypothesis.
#    It errs in 15 and 49 % of these duels.
# 3. Bets (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
#    2024), which are used here. A gambler who may only bet against "the mean is at most `low`"
#    multiplies its capital in each round by 1 + bet * (difference - low). The bet is chosen before
#    the round and is small enough that the factor stays positive. If the mean is at most `low`, the
#    capital cannot be expected to grow, so by Ville's inequality it ever reaches 1 / alpha with a
#    probability of at most alpha. Each factor is the likelihood ratio of two distributions with the
#    same support, of which the second has the mean `low`; the logarithm of the capital is therefore
#    a log-likelihood ratio (LLR). A second gambler bets against "the mean is at least `high`", up
#    to 1 / beta.
#
# So the error rates are not only measured; they are proven, for each number of rounds and every
# distribution. The bet is the one that grows fastest if the mean is `high` (`low` for the second
# gambler) and the variance is as seen so far: (high - low) / (variance + (high - low)^2). To first
# order that is the SPRT with the right variance. Where formulation 1 keeps its error rates this one
# takes some 10 % more rounds. A bet that follows the observed mean was tried too: it is a little
# quicker for bots that are far apart, and slower by up to a half for bots that are close.
#
# Each bound of the interval is the largest (smallest) mean that such a gambler would have refuted
# by now. It therefore holds at whatever moment it is read, and always agrees with the decision: the
# bot is better exactly when the interval begins at `low` or above.

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.values import Played

LARGEST_DIFFERENCE = 100.0  # points: scores are 0 to 100
FIRST_DEVIATION = 50.0  # points; the standard deviation that counts as one round before the first
LARGEST_STAKE = 0.9  # of the capital, lost at the worst result; all of it would be gone for good
BISECTIONS = 40  # of 200 points: far below any decimal that is printed


class Decision(StrEnum):
    """The answer of a test."""

    BETTER = "better"
    """The difference is above `low`."""
    NOT_BETTER = "not better"
    """The difference is below `high`."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Is the first bot better? In points of difference, with the error rates that are allowed."""

    low: float = 0.0
    """For differences up to this, "better" is said with a probability of at most `alpha`."""
    high: float = 5.0
    """If it is this or more, "not better" is said with a probability of at most `beta`."""
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -LARGEST_DIFFERENCE < self.low < self.high < LARGEST_DIFFERENCE:
            raise ValueError(
                f"bounds {self.low} and {self.high}: the first must be lower, "
                "both between -100 and 100"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(
                f"error rates {self.alpha} and {self.beta}: both must be above 0 and below 0.5"
            )


class SequentialTest:
    """The test while the differences come in; after the decision it takes no more of them."""

    def __init__(self, question: Question, *, decides: bool = True) -> None:
        """Begin without a round; where it does not decide, the number of rounds is fixed."""
        self.question = question
        self.decision: Decision | None = None
        self.differences: list[float] = []
        self.llr_better = 0.0
        """The log-likelihood ratio against "at most `low`"; `bound_better` decides."""
        self.llr_not_better = 0.0
        """The log-likelihood ratio against "at least `high`"; `bound_not_better` decides."""
        self._decides = decides
        self.bound_better = -math.log(question.alpha)
        self.bound_not_better = -math.log(question.beta)
        self._bets: list[float] = []
        """The bet of each round, before it is limited to what the worst result allows."""
        self._sum = (question.low + question.high) / 2
        """The sum of the differences, with one in the middle before the first."""
        self._squares = FIRST_DEVIATION**2
        """The sum of the squared deviations from the mean, likewise."""

    @property
    def mean(self) -> float:
        """The mean difference so far; 0 before the first round."""
        if not self.differences:
            return 0.0
        return math.fsum(self.differences) / len(self.differences)

    @property
    def level(self) -> float:
        """The level of `interval`, such as 0.9."""
        return 1 - self.question.alpha - self.question.beta

    def add(self, difference: float) -> None:
        """Take the difference of the next round into account."""
        if self.decision is not None:
            raise ValueError("the test has been decided")
        rounds = 1 + len(self.differences)
        low = self.question.low
        high = self.question.high
        gap = high - low
        # The bet depends on earlier rounds only: otherwise the capital could grow by luck.
        variance = self._squares / rounds
        bet = gap / (variance + gap * gap)
        stake_better = min(bet, _largest_bet(low))
        stake_not_better = min(bet, _largest_bet(-high))
        self.llr_better += math.log1p(stake_better * (difference - low))
        self.llr_not_better += math.log1p(stake_not_better * (high - difference))

        self.differences.append(difference)
        self._bets.append(bet)
        self._sum += difference
        mean = self._sum / (rounds + 1)
        self._squares += (difference - mean) ** 2

        if not self._decides:
            return
        if self.llr_better >= self.bound_better:
            self.decision = Decision.BETTER
        elif self.llr_not_better >= self.bound_not_better:
            self.decision = Decision.NOT_BETTER

    def interval(self) -> tuple[float, float]:
        """Return the lowest and the highest difference that the rounds so far do not refute."""
        import numpy as np  # slow to import, and not needed for the decision

        differences = np.array(self.differences)
        bets = np.array(self._bets)

        def is_refuted(mean: float, sign: float, bound: float) -> bool:
            """Say whether a mean of at most this is refuted; with sign -1, of at least this."""
            stakes = np.minimum(bets, _largest_bet(sign * mean))
            gains = sign * (differences - mean)
            factors = 1 + stakes * gains
            llr = np.log(factors).sum()
            return bool(llr >= bound)

        def end(sign: float, bound: float) -> float:
            """Return the lowest mean that is not refuted; with sign -1, the highest."""
            inside = sign * LARGEST_DIFFERENCE
            outside = -sign * LARGEST_DIFFERENCE
            for _ in range(BISECTIONS):
                middle = (inside + outside) / 2
                if is_refuted(middle, sign, bound):
                    outside = middle
                else:
                    inside = middle
            return outside

        lowest = end(1.0, self.bound_better)
        highest = end(-1.0, self.bound_not_better)
        return lowest, highest


def _largest_bet(mean: float) -> float:
    """Return the largest bet against a mean of at most this.

    The worst result must leave some of the capital.
    """
    return LARGEST_STAKE / (LARGEST_DIFFERENCE + mean)


def difference(matches: Iterable[Played], first: str, second: str) -> float:
    """Return the points of the first bot in these matches minus those of the second.

    As in the standings, each role on each board has the same weight.
    """
    scores: dict[str, dict[tuple[str, str], list[int]]] = {
        first: defaultdict(list),
        second: defaultdict(list),
    }
    for match in matches:
        for role, bot in match.seats.items():
            scores_of_bot = scores[bot]
            scores_in_role = scores_of_bot[match.label, role]
            scores_in_role.append(match.scores[role])
    points_of_first = _points(scores[first])
    points_of_second = _points(scores[second])
    return points_of_first - points_of_second


def _points(scores: Mapping[tuple[str, str], Sequence[int]]) -> float:
    """Return a bot's points; its scores are by board and role."""
    means = []
    for scores_in_role in scores.values():
        mean = sum(scores_in_role) / len(scores_in_role)
        means.append(mean)
    return math.fsum(means) / len(means)


def points_of_elo(elo: float) -> float:
    """Return the difference in points of two bots that are `elo` apart.

    One of them scores 50 + half of it in the mean.
    """
    return LARGEST_DIFFERENCE * math.tanh(elo * math.log(10) / 800)


def elo_of_points(points: float) -> float:
    """Return the inverse of `points_of_elo`; infinite at -100 and 100."""
    if abs(points) >= LARGEST_DIFFERENCE:
        return math.copysign(math.inf, points)
    return math.atanh(points / LARGEST_DIFFERENCE) * 800 / math.log(10)
