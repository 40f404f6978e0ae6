"""The intervals of outsiders: bots far from all others, whose matches the prior outweighs."""

# Theory of operation
# -------------------
# The prior says that bots are about as strong as each other. Where a bot of twelve lost all matches
# but one, it outweighs that one win and draws the bot in. A refit is drawn in as well, so the end
# of the interval on the far side is too near: in simulated leagues with a bot 6 logits away from
# the others, the interval of that bot held the truth in 84 to 91 % of cases, and all misses were on
# the far side.
#
# So the far end of an outsider is that of its matches alone: the strength at which the likelihood
# of its own scores has fallen from its maximum by 1.92, half of the 95 % quantile of chi-square
# with one degree of freedom (Wilks, 1938; profile intervals as in Venzon and Moolgavkar, 1988). The
# other bots stay where the fit has them, because they are known much better. Other outsiders are
# not: where two lost all matches against the others but one, the end is also that of both together.
# With one win of 22 matches the end is where 0.06 wins are expected. The refits beyond the fit are
# stretched to reach it, so that ranks and chances agree with the interval.
#
# An outsider is a bot more than FAR spreads from the center of the prior, where the pull begins to
# stop rising (overall.py). Nearer bots are as the prior says, and their intervals are right without
# this: with it for all bots, intervals would hold the truth in 97.5 to 99 % of cases where bots are
# nearly equal, where scores are graded, and among three bots.

import numpy as np

from arena.results.arrays import Floats, Ints, rounded
from arena.results.ratings.fitting.fit import Fit
from arena.results.ratings.fitting.intervals import TAIL
from arena.results.ratings.fitting.overall import FAR

FALL = 1.9207
"""The fall of the log-likelihood at an end of a 95 % interval."""
FARTHEST_LOGITS = 25.0
"""Where nothing was won, the likelihood never falls so far; such an interval is open anyway."""
HALVINGS = 40
"""How often a distance is halved, until it is right to 1e-10."""


class _OwnScores:
    """The scores of groups of bots in their own seats, and how likely they are at other strengths.

    The bots of a group move together.
    """

    def __init__(
        self,
        fitted: Fit,
        group: Ints,
        direction: Floats,
    ) -> None:
        """Take the scores; `group` has for each unknown its group or -1, `direction` by group."""
        model = fitted.model
        group_by_seat = group[model.unknown]  # N x K
        group_by_seat[:, 0] = -1  # the advantage
        has_credit = model.credit != 0
        has_group = group_by_seat >= 0
        score, seat = np.nonzero(has_credit & has_group)
        self.count = len(direction)
        self.group = group_by_seat[score, seat]

        is_moving = group_by_seat[score] == self.group[:, None]
        moving_factors = model.factor[score] * is_moving
        factor = moving_factors.sum(axis=1)
        self.factor = factor * direction[self.group]

        terms = model.factor * fitted.unknowns[model.unknown]  # N x K
        logit = terms.sum(axis=1)  # N
        self.logit = logit[score]
        self.mean = model.mean[score]
        self.weight = fitted.weight[score] * model.credit[score, seat]

    def slope(self, distance: Floats) -> Floats:
        """Return by group the derivative of the log-likelihood, this far beyond the fit."""
        logits = self._logits(distance)
        chance = 0.5 * (1 + np.tanh(0.5 * logits))
        surplus = self.mean - chance
        return self._sums(self.factor * surplus)

    def likelihood(self, distance: Floats) -> Floats:
        """Return by group the log-likelihood, this far beyond the fit."""
        logits = self._logits(distance)
        won = self.mean * logits
        normalizer = np.logaddexp(0, logits)
        return self._sums(won - normalizer)

    def _logits(self, distance: Floats) -> Floats:
        by_score = distance[self.group]
        return np.asarray(self.logit + self.factor * by_score)

    def _sums(self, values: Floats) -> Floats:
        weighted = self.weight * values
        sums = np.bincount(self.group, weights=weighted, minlength=self.count)
        return sums.astype(np.float64)


def outsiders(fitted: Fit) -> Ints:
    """Return the bots that are more than FAR spreads from the center of the prior."""
    strength = fitted.unknowns[len(fitted.model.advantages) :]
    is_far = np.abs(strength) > FAR * fitted.spread.bots
    return np.flatnonzero(is_far)


def far_ends(fitted: Fit, bots: Ints) -> Floats:
    """Return for each of these outsiders how far beyond its fit the far end of its interval is.

    It is the farther one of its own and of that of all outsiders of its side, moved together.
    """
    size = fitted.model.size
    unknown = len(fitted.model.advantages) + bots
    strength = fitted.unknowns[unknown]
    direction = np.sign(strength)  # by bot
    alone = np.full(size, -1)
    alone[unknown] = np.arange(len(bots))
    own_scores = _OwnScores(fitted, alone, direction)
    own_end = _end(own_scores)

    side = np.where(direction > 0, 1, 0)  # by bot
    direction_of_side = np.array([-1.0, 1.0])
    together = np.full(size, -1)
    together[unknown] = side
    scores_of_side = _OwnScores(fitted, together, direction_of_side)
    end_of_side = _end(scores_of_side)
    return np.maximum(own_end, end_of_side[side])


def _end(scores: _OwnScores) -> Floats:
    """Return by group how far beyond the fit the likelihood has fallen by FALL."""
    near = np.zeros(scores.count)
    far = np.full(scores.count, FARTHEST_LOGITS)
    for _ in range(HALVINGS):  # the maximum of the likelihood
        middle = (near + far) / 2
        slope = scores.slope(middle)
        rises = slope > 0
        near = np.where(rises, middle, near)
        far = np.where(rises, far, middle)

    most = scores.likelihood(near)
    least = most - FALL
    far = np.full(scores.count, FARTHEST_LOGITS)
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        likelihood = scores.likelihood(middle)
        is_inside = likelihood > least
        near = np.where(is_inside, middle, near)
        far = np.where(is_inside, far, middle)
    return rounded(near)


def stretched(fitted: Fit, strength: Floats) -> Floats:
    """Return N x (1 + refits) strengths, where refits reach the far ends of outsiders."""
    bots = outsiders(fitted)
    if not len(bots):
        return strength
    value = strength[bots, :1]  # bots x 1
    refitted = strength[bots, 1:]  # bots x refits
    unknown = len(fitted.model.advantages) + bots
    direction = np.sign(fitted.unknowns[unknown])
    outwards = direction[:, None]  # bots x 1
    beyond = outwards * (refitted - value)  # bots x refits

    end = np.quantile(beyond, 1 - TAIL, axis=1, method="weibull")  # by bot
    far_end = far_ends(fitted, bots)
    factor = far_end / np.maximum(end, 1e-9)
    factor = np.maximum(factor, 1)
    factor = np.where(end > 0, factor, 1)
    farther = beyond * factor[:, None]
    moved = np.where(beyond > 0, farther, beyond)
    result = strength.copy()
    result[bots, 1:] = value + outwards * moved
    return rounded(result)
