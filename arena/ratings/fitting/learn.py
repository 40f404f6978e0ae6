"""What the scores themselves tell of how far bots stray, and of how far scores do.

Empirical Bayes: the spreads of the prior, and the dispersion of each role's scores, are those that explain the scores
best, held by a belief worth a few bots and a few matches: two bots, or a league without one upset, still get sensible
figures.
"""

import numpy as np

from arena.ratings.fitting.columns import Floats
from arena.ratings.fitting.fit import Fit, fit
from arena.ratings.fitting.model import Model
from arena.ratings.fitting.prior import Spread, pull

BELIEF = 2.0
"""The spread that is believed before any match counts as much as the strengths of so many bots."""
CERTAIN = 1.0
"""Before any match it is believed that scores scatter as winning and losing do, and that what one side wins another
loses; that counts as much as four even matches."""
LEAST = 0.02
"""Of dispersion: scores that the model explains to the last digit are still not beyond doubt."""
STEPS = 60
SETTLED = 0.002
"""Of the logarithm of a spread: far less than what a dozen bots can tell of it."""


def learn(model: Model) -> Fit:
    """The fit with the spread, the dispersion and the overlap that the scores themselves tell."""
    found = fit(model, Spread(), np.ones(len(model.mean)), 1.0 + _others(model))
    for _ in range(STEPS):
        covariance = found.covariance
        spread = _respread(found, covariance)
        moved = np.log([spread.bots / found.spread.bots, spread.roles / found.spread.roles])
        found = fit(model, spread, _dispersion(found, covariance), _overlap(found), found.unknowns)
        if np.abs(moved).max() < SETTLED:
            break
    return found


def _respread(found: Fit, covariance: Floats) -> Spread:
    """One step of expectation and maximisation (Dempster, Laird and Rubin, 1977) for the two spreads."""
    model, spread, count = found.model, found.spread, len(found.model.advantages)
    strength, roles, drawn = found.unknowns[count:], np.bincount(model.bot), pull(model, spread)
    same = model.bot[:, None] == model.bot[None, :]
    second = same * (covariance[count:, count:] + np.outer(strength, strength))
    by_bot = np.bincount(model.bot, weights=second.sum(axis=1))
    by_role = np.bincount(model.bot, weights=np.diag(second))
    rest = drawn * spread.roles**2
    own = drawn**2 * by_bot + rest
    special = by_role - 2 * drawn * by_bot + roles * own
    here, first = roles > 0, Spread()
    return Spread(
        bots=float(np.sqrt((BELIEF * first.bots**2 + own[here].sum()) / (BELIEF + here.sum()))),
        roles=float(np.sqrt((BELIEF * first.roles**2 + special[here].sum()) / (BELIEF + roles.sum()))),
    )


def _dispersion(found: Fit, covariance: Floats) -> Floats:
    """How far scores scatter about what is expected, by the role that scored; what the fit took out is put back."""
    model, expected = found.model, found.expected
    binary = expected * (1 - expected)
    factors = model.factor[:, :, None] * model.factor[:, None, :]
    taken = (factors * covariance[model.unknown[:, :, None], model.unknown[:, None, :]]).sum(axis=(1, 2))
    left = 1 - np.minimum(model.share * binary * taken / found.dispersion, 0.8)
    seen = _by_role(model, model.square - 2 * expected * model.mean + expected**2)
    return np.clip((CERTAIN + seen) / (CERTAIN + _by_role(model, binary * left)), LEAST, 1.0)[model.unknown[:, 0]]


def _overlap(found: Fit) -> Floats:
    """How far the other sides' scores say the same again: as far as what one surpasses expectation by, they miss it."""
    model, expected = found.model, found.expected
    scatter = _by_role(model, model.square - 2 * expected * model.mean + expected**2)[model.unknown[:, 0]]
    total = np.ones(len(model.mean))
    for column in range(model.other.shape[1]):
        other = model.other[:, column]
        cross = model.product[:, column] - expected * model.mean[other] - model.mean * expected[other]
        cross = _by_role(model, cross + expected * expected[other])[model.unknown[:, 0]]
        against = (CERTAIN - cross) / (CERTAIN + np.sqrt(scatter * scatter[other]))
        total += np.where(other == np.arange(len(other)), 0.0, model.share[other] * np.clip(against, 0.0, 1.0))
    return total


def _others(model: Model) -> Floats:
    """How many other sides score in the same matches."""
    there = model.other != np.arange(len(model.mean))[:, None]
    return np.asarray((there * model.share[model.other]).sum(axis=1))


def _by_role(model: Model, each: Floats) -> Floats:
    """The sum over all matches, by the role that scored."""
    return np.bincount(model.unknown[:, 0], weights=model.matches * each).astype(np.float64)
