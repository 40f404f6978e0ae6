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

BELIEF = 4.0
"""The spread that is believed before any match counts as much as the strengths of so many bots."""
CERTAIN = 1.0
"""The dispersion of winning or losing, 1, that is believed before any match counts as much as four even matches."""
LEAST = 0.02
"""Of dispersion: scores that the model explains to the last digit are still not beyond doubt."""
STEPS = 60
SETTLED = 0.002
"""Of the logarithm of a spread: far less than what a dozen bots can tell of it."""


def learn(model: Model) -> Fit:
    """The fit with the spread and the dispersion that the scores themselves tell."""
    found = fit(model, Spread(), np.ones(len(model.mean)))
    for _ in range(STEPS):
        covariance = found.covariance
        spread = _respread(found, covariance)
        moved = np.log([spread.bots / found.spread.bots, spread.roles / found.spread.roles])
        found = fit(model, spread, _dispersion(found, covariance), found.unknowns)
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
    taken = (model.factor[:, :, None] * model.factor[:, None, :]) * covariance[
        model.unknown[:, :, None], model.unknown[:, None, :]
    ]
    leverage = np.minimum(found.weight * binary * taken.sum(axis=(1, 2)) / model.share, 0.8)
    matches = model.weight / model.share
    group = model.unknown[:, 0]
    seen = np.bincount(group, weights=matches * (model.square - 2 * expected * model.mean + expected**2))
    full = np.bincount(group, weights=matches * binary * (1 - leverage))
    return np.clip((CERTAIN + seen) / (CERTAIN + full), LEAST, 1.0)[group]
