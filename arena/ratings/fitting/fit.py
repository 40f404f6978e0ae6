"""The fit: the advantages and strengths that explain the scores best, given how far they are believed to stray.

It owns the numerics: a penalised likelihood that is strictly concave, so there is one answer, found by Newton's method.
"""

from dataclasses import dataclass

import numpy as np

from arena.ratings.fitting.columns import Floats
from arena.ratings.fitting.model import Model
from arena.ratings.fitting.prior import Spread, precision

STEPS = 60
CLOSE = 1e-10
LONGEST = 3.0
"""Of a Newton step, in logits: a longer one may overshoot where scores are all won or all lost."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """What explains the scores best, and how sharply."""

    model: Model
    spread: Spread
    unknowns: Floats
    """P: advantages, then strengths."""
    dispersion: Floats
    """N: the variance of a score as a part of that of winning or losing, p(1 - p); small where scores are graded."""
    overlap: Floats
    """N: in how many scores what this one says is said: 2 where the other side's always tells the same, 1 alone."""
    prior: Floats
    """P x P: the precision of what is believed before any match."""
    information: Floats
    """P x P: what the scores add to it."""

    @property
    def weight(self) -> Floats:
        """N: what the scores of a seating weigh together: the less they scatter, the more."""
        return self.model.matches * self.model.share / (self.dispersion * self.overlap)

    @property
    def expected(self) -> Floats:
        """N: the score, 0 to 1, that the model expects."""
        return chance(predictor(self.model, self.unknowns))

    @property
    def covariance(self) -> Floats:
        """P x P: how unsure the unknowns are."""
        return np.asarray(np.linalg.inv(self.information + self.prior))


def chance(logit: Floats) -> Floats:
    """The logistic function, for any size of its argument."""
    return 0.5 * (1 + np.tanh(0.5 * logit))


def predictor(model: Model, unknowns: Floats) -> Floats:
    """The logit of each expected score."""
    return np.asarray((model.factor * unknowns[model.unknown]).sum(axis=1))


def fit(model: Model, spread: Spread, dispersion: Floats, overlap: Floats, start: Floats | None = None) -> Fit:
    """The fit with what is given, by Newton's method with steps of bounded length."""
    now = np.zeros(model.size) if start is None else start
    prior = precision(model, spread)
    weight = model.matches * model.share / (dispersion * overlap)
    for _ in range(STEPS):
        expected = chance(predictor(model, now))
        slope = gradient(model, weight * (model.mean - expected)) - prior @ now
        step = np.linalg.solve(products(model, weight * expected * (1 - expected)) + prior, slope)
        now = now + step * min(1.0, LONGEST / max(np.abs(step).max(initial=0.0), LONGEST))
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    expected = chance(predictor(model, now))
    return Fit(
        model=model,
        spread=spread,
        dispersion=dispersion,
        overlap=overlap,
        unknowns=now,
        prior=prior,
        information=products(model, weight * expected * (1 - expected)),
    )


def gradient(model: Model, surplus: Floats) -> Floats:
    """P: the sum over the scores of surplus times factors."""
    by_factor = (model.factor * surplus[:, None]).ravel()
    return np.bincount(model.unknown.ravel(), weights=by_factor, minlength=model.size).astype(np.float64)


def products(model: Model, weight: Floats) -> Floats:
    """P x P: the sum over the scores of weight times factors by factors."""
    cell = model.unknown[:, :, None] * model.size + model.unknown[:, None, :]
    value = weight[:, None, None] * model.factor[:, :, None] * model.factor[:, None, :]
    total = np.bincount(cell.ravel(), weights=value.ravel(), minlength=model.size**2).astype(np.float64)
    return total.reshape(model.size, model.size)
