"""Estimates of the prior and of the weights of scores, from the scores (empirical Bayes)."""

# Theory of operation
# -------------------
# The fit needs four figures that no organiser can know: the two spreads of the prior (prior.py),
# the dispersion of each role's scores, and the overlap between the scores of different sides. They
# are estimated in turns with the fit:
#
# - The spreads by expectation and maximisation (Dempster, Laird and Rubin, 1977): given the fit and
#   its covariance, the expected squares of the means and of the special parts have a closed form.
#   Each mean is weighted as Student's distribution demands, so one outsider does not widen the
#   spread for all.
# - The dispersion of a role is the variance of its scores about the expected ones, as a part of p(1
#   - p), the variance of won or lost. Graded scores scatter less, so they weigh more. The fit
#   follows the scores, so their residuals are too small; the part that it took out (the leverage)
#   is put back.
# - The overlap is found from the correlation of residuals of different sides: where what one side
#   wins the other side loses, both scores report one result and each weighs half.
#
# A spread may be 0, as that of equal bots is, and then the likeliest one would make their intervals
# empty. So a spread s has a prior of its own, s^2 exp(-(s / belief)^2) for log s. It is 0 at 0, and
# so keeps s about a standard error away from there (Chung, Rabe-Hesketh, Dorie, Gelman and Liu,
# 2013), however many matches there are. Rejected: a belief that counts as some bots of a known
# spread. It keeps s above a fixed figure, and many equal bots are "better with 0.99".
#
# The dispersion and the overlap lean on an initial belief that is worth a few matches, so two bots,
# or a league without one upset, still have sensible figures.

import numpy as np

from arena.results.arrays import Floats
from arena.results.ratings.fitting.fit import Fit, PointEstimate, fit, point_estimate
from arena.results.ratings.fitting.model import Model
from arena.results.ratings.fitting.prior import Spread, mean_weight
from arena.results.ratings.fitting.selection import Selection, selection_of

BELIEF_SCATTER = 1.0
"""The belief that scores scatter as winning and losing do, and that one side loses what the other
wins, counts as this much variance: that of four even matches."""
LEAST_DISPERSION = 0.02
"""Even scores that the model explains to the last digit are not beyond doubt."""
LARGEST_LEVERAGE = 0.8
"""Near 1 the correction of the dispersion for the fit's leverage would divide by nearly nothing."""
LEAST_FREE = 0.2
"""Part of the matches that remain when each unknown has used up its own: with fewer, residuals mean
next to nothing."""
STEPS = 60
TAIL_DEGREES = 4.0
"""Degrees of freedom of Student's distribution of the means: with so few, a bot five spreads away
is not unlikely."""
SETTLED = 0.005
"""The estimate ends when the logarithm of no spread changes by more. Steps are slow where a spread
is small: there some 0.1 may remain, half of the precision that a dozen bots can give it."""


def estimate(model: Model) -> Fit:
    """Return the fit with the spreads, the dispersion and the overlap that the scores suggest."""
    count = len(model.mean)
    # At first: the other sides repeat every score.
    itself = np.arange(count)[:, None]
    is_opposed = model.opposing != itself  # N x K
    opposing_share = is_opposed * model.share[model.opposing]  # N x K
    overlap = np.asarray(1.0 + opposing_share.sum(axis=1))
    dispersion = np.ones(count)
    best = point_estimate(model, Spread(), dispersion, overlap)
    selection = selection_of(model)
    for _ in range(STEPS):
        expected = best.expected
        curved = best.weight * expected * (1 - expected)  # N
        covariances = selection.covariances(curved, best.spread)
        spread = _spread(best, selection, covariances)
        dispersion = _dispersion(best, selection, covariances)
        overlap = _overlap(best)
        bots_ratio = spread.bots / best.spread.bots
        roles_ratio = spread.roles / best.spread.roles
        change = np.abs(np.log([bots_ratio, roles_ratio]))
        best = point_estimate(model, spread, dispersion, overlap, best.unknowns)
        if change.max() < SETTLED:
            break
    return fit(best)


def _spread(
    fitted: PointEstimate,
    selection: Selection,
    covariances: Floats,
) -> Spread:
    """Return both spreads after one step of expectation and maximisation."""
    model = fitted.model
    spread = fitted.spread
    count = len(model.advantages)
    strength = fitted.unknowns[count:]
    roles = np.bincount(model.bot)  # by bot
    played = roles > 0
    weight = mean_weight(model, spread)  # by bot

    # The expected products of the strengths of the same bot.
    pair_covariances = covariances[selection.of_bot]  # T
    by_bot = np.bincount(selection.bot, weights=pair_covariances)
    sum_of_strengths = np.bincount(model.bot, weights=strength)
    by_bot += sum_of_strengths**2
    variances = covariances[selection.of_unknown[count:]]  # by strength
    squares = variances + strength**2
    by_role = np.bincount(model.bot, weights=squares)
    squared_estimates = weight**2 * by_bot
    variances_of_means = weight * spread.roles**2
    mean_squares = squared_estimates + variances_of_means
    special_squares = by_role - 2 * weight * by_bot + roles * mean_squares

    relative_squares = mean_squares / spread.bots**2
    tails = (TAIL_DEGREES + 1) / (TAIL_DEGREES + relative_squares)
    weighted_squares = tails * mean_squares
    sum_of_means = weighted_squares[played].sum()
    sum_of_specials = special_squares[played].sum()
    initial = Spread()
    return Spread(
        bots=likeliest(sum_of_means, played.sum(), initial.bots),
        weight=tails,
        roles=likeliest(sum_of_specials, roles.sum(), initial.roles),
    )


def likeliest(squares: float, count: int, belief: float) -> float:
    """Return the likeliest spread of normal variables whose squares have this sum."""
    # It is where d/d(log s) of 2 log s - (s / belief)^2 - count log s - squares / (2 s^2) is 0: a
    # quadratic equation of s^2.
    half = (count - 2) * belief**2 / 4
    root = np.sqrt(half**2 + squares * belief**2 / 2)
    return float(np.sqrt(root - half))


def _dispersion(
    fitted: PointEstimate,
    selection: Selection,
    covariances: Floats,
) -> Floats:
    """Return N: the variance of scores about the expected scores, as a part of p(1 - p).

    It is a figure of the role that scored.
    """
    model = fitted.model
    expected = fitted.expected
    binary = expected * (1 - expected)  # N
    # N x K x K, for each score a factor and a covariance for each pair of its unknowns.
    row = model.factor[:, :, None]
    column = model.factor[:, None, :]
    factors = row * column
    products = factors * covariances[selection.of_score]
    variance = products.sum(axis=(1, 2))  # N
    leverage = model.share * binary * variance / fitted.dispersion
    leverage = np.minimum(leverage, LARGEST_LEVERAGE)

    residuals = _squared_residuals(fitted)  # N
    free = binary * (1 - leverage)  # N
    observed = BELIEF_SCATTER + _by_role(model, residuals)  # by advantage, as the next two
    expected_scatter = BELIEF_SCATTER + _by_role(model, free)
    dispersion = observed / expected_scatter
    dispersion = np.clip(dispersion, LEAST_DISPERSION, 1.0)
    advantage = model.unknown[:, 0]
    return dispersion[advantage]


def _squared_residuals(fitted: PointEstimate) -> Floats:
    """Return N: the mean square of a score less its expected value."""
    model = fitted.model
    expected = fitted.expected
    return model.square - 2 * expected * model.mean + expected**2


def _overlap(fitted: PointEstimate) -> Floats:
    """Return N: how much the scores of the other sides repeat this score.

    It is the negative correlation of the residuals, plus 1.
    """
    model = fitted.model
    mean = model.mean
    expected = fitted.expected
    advantage = model.unknown[:, 0]  # N: the role that scored
    residuals = _squared_residuals(fitted)
    by_role = _by_role(model, residuals)
    scatter = by_role[advantage]  # N
    total = np.ones(len(mean))
    for column in range(model.opposing.shape[1]):
        opposing = model.opposing[:, column]
        opposing_expected = expected[opposing]
        products = (
            model.product[:, column]
            - expected * mean[opposing]
            - mean * opposing_expected
            + expected * opposing_expected
        )
        by_role = _by_role(model, products)
        cross = by_role[advantage]  # N
        largest_cross = np.sqrt(scatter * scatter[opposing])
        opposed = BELIEF_SCATTER - cross
        against = opposed / (BELIEF_SCATTER + largest_cross)
        against = np.clip(against, 0.0, 1.0)
        overlap = model.share[opposing] * against
        is_itself = opposing == np.arange(len(opposing))
        total += np.where(is_itself, 0.0, overlap)
    return total


def _by_role(model: Model, values: Floats) -> Floats:
    """Return the sum over all matches, by the role that scored."""
    advantage = model.unknown[:, 0]
    sums = np.bincount(advantage, weights=model.matches * values)
    return sums.astype(np.float64)
