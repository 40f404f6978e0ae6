"""The prior: beliefs about the strengths before any match."""

# The strength of a bot in a role on a board is its mean strength plus something of its own for that
# board and role:
#
#     strength(bot, board role) = mean(bot) + special(bot, board role)
#
# Both vary about 0, where the average bot stands. This is a ridge: few matches move a bot little,
# and a bot that always wins gets a finite strength. The special parts are normally distributed. The
# means have Student's distribution, whose tails are longer, so that a bot far from all others is
# not drawn towards them; it is used as a mixture of normal distributions, with a variance for each
# bot, `bots² / weight` of `Spread` (Lange, Little and Taylor, 1989).
#
# The unknowns of the fit are strengths, not means: with the means integrated out the strengths of
# one bot are correlated, and `precision` is the inverse of their covariance.

from dataclasses import dataclass

import numpy as np

from arena.results.arrays import Floats
from arena.results.ratings.fitting.model import Model

ADVANTAGE_LOGITS = 3.0
"""Standard deviation of a role's advantage: wide, because it has only to bound a role that always
wins."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Scales, in logits: of the bots' mean strengths, and of the part that is special to a role.

    The defaults are the belief before any match.
    """

    bots: float = 1.5
    roles: float = 1.0
    weight: "Floats | float" = 1.0
    """By bot: the weight of its mean in the spread of the means, lower for a mean farther from
    0."""


def precision(model: Model, spread: Spread) -> Floats:
    """Return P x P: the inverse covariance of advantages and strengths."""
    count = len(model.advantages)
    bot = model.bot
    same_bot = bot[:, None] == bot  # strengths x strengths
    weight = mean_weight(model, spread)  # by bot
    shrinkage = weight[bot]  # by strength
    shared = same_bot * shrinkage[:, None]
    strengths = np.eye(len(bot)) - shared
    advantages = np.eye(count)
    matrix = np.zeros((model.size, model.size))
    matrix[:count, :count] = advantages / ADVANTAGE_LOGITS**2
    matrix[count:, count:] = strengths / spread.roles**2
    return matrix


def unpulled(
    model: Model,
    spread: Spread,
    square: Floats,
    slope: Floats,
) -> Floats:
    """Return P: the unknowns at which the prior and these squares (P) pull by the slope.

    It is the inverse of `precision` and a diagonal, times the slope, bot by bot by the formula of
    Sherman and Morrison.
    """
    count = len(model.advantages)
    advantage_precision = square[:count] + 1 / ADVANTAGE_LOGITS**2
    of_advantages = slope[:count] / advantage_precision

    strength_precision = square[count:] + 1 / spread.roles**2
    alone = 1 / strength_precision  # by strength
    by_strength = alone * slope[count:]
    sum_alone = np.bincount(model.bot, weights=alone)  # by bot
    sum_by_bot = np.bincount(model.bot, weights=by_strength)
    tie = mean_weight(model, spread) / spread.roles**2  # by bot
    free = 1 - tie * sum_alone  # by bot
    mean = tie * sum_by_bot / free  # by bot
    of_strengths = by_strength + alone * mean[model.bot]
    return np.concatenate((of_advantages, of_strengths))


def pull(model: Model, spread: Spread, unknowns: Floats) -> Floats:
    """Return P: `precision` times the unknowns, without its matrix."""
    count = len(model.advantages)
    advantage = unknowns[:count]
    strength = unknowns[count:]
    sum_by_bot = np.bincount(model.bot, weights=strength)
    mean = mean_weight(model, spread) * sum_by_bot  # by bot
    special = strength - mean[model.bot]  # by strength
    of_advantages = advantage / ADVANTAGE_LOGITS**2
    of_strengths = special / spread.roles**2
    return np.concatenate((of_advantages, of_strengths))


def mean_weight(model: Model, spread: Spread) -> Floats:
    """Return, by bot, the weight of each of its strengths in the estimate of its mean."""
    roles = np.bincount(model.bot)
    variance = spread.bots**2 / spread.weight
    total_variance = spread.roles**2 + roles * variance
    return np.asarray(variance / total_variance)


def pulls(model: Model, spread: Spread, unknowns: Floats) -> Floats:
    """Return P x 2: how strongly both spreads of the prior pull each unknown to 0.

    The first column is of the spread of the means, the second of that of the special parts.
    """
    count = len(model.advantages)
    strength = unknowns[count:]
    roles = np.bincount(model.bot)  # by bot
    weight = mean_weight(model, spread)  # by bot
    sum_by_bot = np.bincount(model.bot, weights=strength)
    means = weight * sum_by_bot  # by bot
    free = 1 - roles * weight  # by bot
    pull_of_means = free * means  # by bot
    by_means = pull_of_means[model.bot] / spread.roles**2  # by strength
    special = strength - means[model.bot]  # by strength
    pull_of_special = special / spread.roles**2
    by_special = pull_of_special - by_means
    of_advantages = np.zeros((count, 2))
    of_strengths = np.column_stack((by_means, by_special))
    return np.vstack((of_advantages, of_strengths))


def overall_means(
    model: Model,
    spread: Spread,
    bots: int,
    board_roles: int,
) -> Floats:
    """Return bots x P: the matrix that turns unknowns into each bot's mean over all board roles.

    Where a bot never played, its strength is the mean that its other strengths suggest.
    """
    weight = _overall_weight(model, spread, board_roles)
    column = len(model.advantages) + np.arange(len(model.bot))  # by strength
    matrix = np.zeros((bots, model.size))
    matrix[model.bot, column] = weight[model.bot]
    return matrix


def mean_strengths(
    model: Model,
    spread: Spread,
    unknowns: Floats,
    bots: int,
    board_roles: int,
) -> Floats:
    """Return by bot its mean strength over all board roles: `overall_means` times the unknowns."""
    weight = _overall_weight(model, spread, board_roles)
    strength = unknowns[len(model.advantages) :]
    by_strength = weight[model.bot] * strength
    means = np.bincount(model.bot, weights=by_strength, minlength=bots)
    return means.astype(np.float64)


def _overall_weight(model: Model, spread: Spread, board_roles: int) -> Floats:
    """Return by bot the weight of each of its strengths in its mean over all board roles."""
    missing = board_roles - np.bincount(model.bot)
    with_missing = 1 + missing * mean_weight(model, spread)
    return np.asarray(with_missing / max(board_roles, 1))
