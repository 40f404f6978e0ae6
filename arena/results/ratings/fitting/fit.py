"""The fit: the advantages and strengths that explain the scores best, given their prior."""

# The objective is a penalised log-likelihood: the scores' (model.py), each with a weight, minus the
# prior's (prior.py). It is strictly concave, because the prior's precision is positive definite, so
# there is one answer whatever the start. Newton's method finds it in a few steps: the gradient and
# the second derivatives are sums over seatings, not matches, so a step costs the same for a
# thousand matches as for a million. Steps are cut to LONGEST_LOGITS because the second derivative
# of a score near 0 or 1 is nearly 0, and a full step from there goes far past the answer.
#
# A step solves as many equations as there are unknowns: up to MOST_DIRECT by their matrix, and
# beyond it by conjugate gradients, which need no matrix. Of 10,000 bots in two roles the matrix
# would take 3 GB, and each step minutes.

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arena.results.arrays import Floats, rounded
from arena.results.ratings.fitting.model import Model
from arena.results.ratings.fitting.prior import Spread, precision, pull, pulls, unpulled

STEPS = 60
CLOSE_LOGITS = 1e-10
LONGEST_LOGITS = 3.0
MOST_DIRECT = 300
"""The unknowns of a fit whose steps are solved by a matrix: both ways take as long here."""
CLOSE_RESIDUAL = 1e-7
"""The part of the slope that conjugate gradients may leave over, for the next step."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PointEstimate:
    """The best explanation of the scores, for a given prior and given weights of the scores."""

    model: Model
    spread: Spread
    unknowns: Floats
    """P: advantages, then strengths."""
    dispersion: Floats
    """N: the variance of a score as a part of that of winning or losing, p(1 - p); small where
    scores are graded."""
    overlap: Floats
    """N: how many scores report the same result: 2 where the other side's score always repeats this
    one, 1 alone."""

    @property
    def weight(self) -> Floats:
        """N: the weight of all scores of a seating together: the less they scatter, the higher."""
        model = self.model
        return model.matches * model.share / (self.dispersion * self.overlap)

    @property
    def expected(self) -> Floats:
        """N: the score, 0 to 1, that the model expects."""
        return chance(self.model, self.unknowns)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit(PointEstimate):
    """A point estimate with its precision."""

    prior: Floats
    """P x P: the precision of the prior."""
    level: Floats
    """P: 1 for each strength where only differences of strengths have a meaning, as without a
    prior; otherwise 0. The sum of these strengths is held at 0, with a precision of 1."""
    information: Floats
    """P x P: the precision that the scores add to it."""
    scatter: Floats
    """P x P: the covariance of the slope that the model expects."""
    pulls: Floats
    """P x spreads: how strongly each spread of the prior pulls each unknown to 0."""

    @property
    def belief(self) -> Floats:
        """P x P: the precision that the unknowns have without any score."""
        return self.prior + np.outer(self.level, self.level)

    @cached_property
    def covariance(self) -> Floats:
        """P x P: the uncertainty of the unknowns."""
        all_information = self.information + self.belief
        return rounded(np.linalg.inv(all_information))


def chance(model: Model, unknowns: Floats) -> Floats:
    """Return the expected score, 0 to 1, of each score: the logistic function, without overflow."""
    terms = model.factor * unknowns[model.unknown]  # N x K
    logit = terms.sum(axis=1)  # N
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logit)))


def point_estimate(
    model: Model,
    spread: Spread,
    dispersion: Floats,
    overlap: Floats,
    start: Floats | None = None,
) -> PointEstimate:
    """Return the best explanation for a given prior and given weights of the scores."""
    weight = model.matches * model.share / (dispersion * overlap)  # N
    return PointEstimate(
        model=model,
        spread=spread,
        dispersion=dispersion,
        overlap=overlap,
        unknowns=most_likely(model, spread, weight, start),
    )


def fit(best: PointEstimate) -> Fit:
    """Return a point estimate with its precision."""
    model = best.model
    expected = best.expected
    curved = best.weight * expected * (1 - expected)  # N
    return Fit(
        model=model,
        spread=best.spread,
        dispersion=best.dispersion,
        overlap=best.overlap,
        unknowns=best.unknowns,
        prior=precision(model, best.spread),
        level=np.zeros(model.size),
        information=information(model, curved),
        scatter=information(model, curved * model.copies),
        pulls=pulls(model, best.spread, best.unknowns),
    )


def most_likely(
    model: Model,
    spread: Spread,
    weight: Floats,
    start: Floats | None = None,
) -> Floats:
    """Return the unknowns that explain the scores best; `weight` is that of each score."""
    unknowns = start
    if unknowns is None:
        unknowns = np.zeros(model.size)
    direct = model.size <= MOST_DIRECT
    if direct:
        prior = precision(model, spread)
    for _ in range(STEPS):
        expected = chance(model, unknowns)  # N
        surplus = weight * (model.mean - expected)  # N
        by_scores = _by_unknown(model, surplus)  # P
        curved = weight * expected * (1 - expected)  # N
        if direct:
            slope = by_scores - prior @ unknowns
            curvature = information(model, curved) + prior  # P x P
            step = np.linalg.solve(curvature, slope)
        else:
            slope = by_scores - pull(model, spread, unknowns)
            step = _solved(model, spread, curved, slope)
        longest = np.abs(step).max(initial=0.0)
        shortened = LONGEST_LOGITS / max(longest, LONGEST_LOGITS)
        unknowns = unknowns + step * shortened
        if longest < CLOSE_LOGITS:
            break
    return rounded(unknowns)


def _solved(
    model: Model,
    spread: Spread,
    weight: Floats,
    slope: Floats,
) -> Floats:
    """Return the step that takes the slope to 0 if the scores have these weights.

    Conjugate gradients (Shewchuk 1994, An introduction to the conjugate gradient method without the
    agonizing pain, B3). They are preconditioned by the prior and the diagonal of the scores: where
    the strengths of a bot hardly differ, the diagonal alone needs twice as many rounds.
    """
    square = _by_unknown(model, weight, model.factor)
    step = np.zeros(model.size)
    residual = slope
    scaled = unpulled(model, spread, square, residual)
    direction = scaled
    size = residual @ scaled
    least = CLOSE_RESIDUAL**2 * size
    for _ in range(model.size):
        if size <= least:
            break
        terms = model.factor * direction[model.unknown]  # N x K
        change = terms.sum(axis=1)  # N
        by_scores = _by_unknown(model, weight * change)  # P
        by_prior = pull(model, spread, direction)  # P
        bent = by_scores + by_prior
        length = size / (direction @ bent)
        step = step + length * direction
        residual = residual - length * bent
        scaled = unpulled(model, spread, square, residual)
        before = size
        size = residual @ scaled
        direction = scaled + (size / before) * direction
    return step


def _by_unknown(
    model: Model,
    values: Floats,
    factor: "Floats | float" = 1.0,
) -> Floats:
    """Return P: for each unknown the sum of its credits times the values, which are by score."""
    weights = model.credit * values[:, None] * factor  # N x K
    sums = np.bincount(
        model.unknown.ravel(),
        weights=weights.ravel(),
        minlength=model.size,
    )
    return sums.astype(np.float64)


def information(model: Model, weight: Floats) -> Floats:
    """Return P x P: the sum over the scores of weight times credits by factors."""
    size = model.size
    # N x K x K, for each score a cell for each pair of its unknowns.
    row = model.unknown[:, :, None]
    column = model.unknown[:, None, :]
    cell = row * size + column
    credit = model.credit[:, :, None]
    factor = model.factor[:, None, :]
    value = weight[:, None, None] * credit * factor
    total = np.bincount(
        cell.ravel(),
        weights=value.ravel(),
        minlength=size**2,
    )
    return total.astype(np.float64).reshape(size, size)
