"""The covariances of unknowns that meet: in the same score, or as strengths of the same bot."""

# Theory of operation
# -------------------
# The spreads and the dispersion (estimate_priors.py) need the covariances of few pairs of unknowns:
# of those whose precision is not 0 anyhow. The whole inverse of the precision of 1,000 bots in two
# roles has four million, and took most of the time of a fit.
#
# The strengths of one board role never meet: a score has one of each role, and the prior ties those
# of one bot. So their block of the precision is diagonal. They are eliminated first, and the
# inverse is of the rest alone: where a board has two roles, of half as many unknowns, which takes
# an eighth of the time. With the blocks D, B and E (the strengths of the largest board role, their
# ties, the rest) the parts of the inverse are, by Schur's complement,
#
#     rest = (E - B' D^-1 B)^-1,  across = -D^-1 B rest,  own = D^-1 + D^-1 B rest B' D^-1
#
# The rest is inverted by the same formula, halved again and again. Products of matrices are the
# quickest of what a linear algebra library has, so this takes half of the time of `inv`.

from dataclasses import dataclass

import numpy as np

from arena.results.arrays import Floats, Ints, rounded
from arena.results.ratings.fitting.model import Model
from arena.results.ratings.fitting.prior import ADVANTAGE_LOGITS, Spread, mean_weight

MOST_AT_ONCE = 150
"""Rows of a matrix that `inv` inverts as quickly as blocks would."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """The pairs of unknowns that meet, each once, and each unknown with itself: M pairs.

    Unknowns have another order here: first the strengths that are eliminated.
    """

    model: Model
    first: Ints
    """M: the unknown of the pair that comes first in this order, ascending."""
    second: Ints
    """M: the other one, or the same."""
    eliminated: int
    """How many unknowns are eliminated."""
    of_score: Ints
    """N x K x K: the pair of each two unknowns of a score."""
    of_unknown: Ints
    """P: the pair of each unknown with itself, in the order of the model."""
    of_bot: Ints
    """T: the pair of each two strengths of a bot, in either order, and of each with itself."""
    bot: Ints
    """T: the bot of each of those."""

    def covariances(self, weight: Floats, spread: Spread) -> Floats:
        """Return M: the covariance of each pair if the scores have these weights (N)."""
        count = self.eliminated
        others = self.model.size - count
        is_own = self.second < count
        is_rest = self.first >= count
        is_tie = ~is_own & ~is_rest
        own = self.first[is_tie]
        other = self.second[is_tie] - count
        tie = (own, other)
        row = self.first[is_rest] - count
        column = self.second[is_rest] - count

        values = self._precision(weight, spread)
        of_rest = values[is_rest]
        own_root = np.sqrt(values[is_own])  # an eliminated unknown meets no other one
        root = own_root[:, None]
        ties = np.zeros((count, others))
        ties[tie] = values[is_tie]
        ties /= root
        rest = np.zeros((others, others))
        rest[row, column] = of_rest
        rest[column, row] = of_rest
        complement = rest - ties.T @ ties
        rest = inverse(complement)
        across = (ties @ rest) / root
        through_rest = np.einsum("ij,ij->i", ties, across)

        by_pair = np.empty(len(values))
        alone = 1 / own_root**2
        by_pair[is_own] = alone + through_rest / own_root
        by_pair[is_tie] = -across[tie]
        by_pair[is_rest] = rest[row, column]
        return rounded(by_pair)

    def _precision(self, weight: Floats, spread: Spread) -> Floats:
        """Return M: the precision of each pair, by the scores and the prior."""
        model = self.model
        pairs = len(self.first)
        credit = model.credit[:, :, None]
        factor = model.factor[:, None, :]
        factors = credit * factor  # N x K x K
        by_score = weight[:, None, None] * factors
        of_scores = np.bincount(
            self.of_score.ravel(),
            weights=by_score.ravel(),
            minlength=pairs,
        )
        tie = mean_weight(model, spread) / spread.roles**2  # by bot
        of_ties = np.bincount(
            self.of_bot,
            weights=tie[self.bot],
            minlength=pairs,
        )
        values: Floats = of_scores.astype(np.float64) - of_ties
        is_two = self.first != self.second
        values[is_two] /= 2  # each of these was met in both orders
        count = len(model.advantages)
        of_advantages = self.of_unknown[:count]
        of_strengths = self.of_unknown[count:]
        values[of_advantages] += 1 / ADVANTAGE_LOGITS**2
        values[of_strengths] += 1 / spread.roles**2
        return values


def selection_of(model: Model) -> Selection:
    """Return the pairs of unknowns of a model that meet."""
    count = len(model.advantages)
    size = model.size
    strengths_by_role = np.bincount(model.board_role, minlength=1)
    largest = strengths_by_role.argmax()
    no_advantage = np.zeros(count, np.bool_)
    in_largest = model.board_role == largest  # by strength
    is_eliminated = np.concatenate((no_advantage, in_largest))
    order = np.argsort(~is_eliminated, kind="stable")
    position = np.empty(size, dtype=np.int64)  # by unknown
    position[order] = np.arange(size)

    # The pairs of two strengths of a bot. A table of bots by board roles would take gigabytes where
    # each of many bots plays a few of many boards.
    strengths_by_bot = np.bincount(model.bot)
    of_its_bot = strengths_by_bot[model.bot]  # by strength: how many its bot has
    first_strength = np.repeat(np.arange(len(model.bot)), of_its_bot)  # T
    bot = model.bot[first_strength]  # T
    first_pair = np.cumsum(of_its_bot) - of_its_bot  # by strength
    first_of_strength = np.repeat(first_pair, of_its_bot)  # T
    number = np.arange(len(bot)) - first_of_strength  # T
    by_bot = np.argsort(model.bot, kind="stable")
    start = np.searchsorted(model.bot[by_bot], bot)  # T
    second_strength = by_bot[start + number]  # T

    # All pairs as numbers; each number that occurs is a pair.
    strengths = position[count:]
    first_unknown = strengths[first_strength]  # T
    second_unknown = strengths[second_strength]  # T
    of_bot = _cells(first_unknown, second_unknown, size)  # T
    unknown = position[model.unknown]
    row = unknown[:, :, None]
    column = unknown[:, None, :]
    of_score = _cells(row, column, size)  # N x K x K
    of_unknown = position * (size + 1)  # P
    cells = np.concatenate((of_score.ravel(), of_bot, of_unknown))
    cells, pair = np.unique(cells, return_inverse=True)
    first, second = np.divmod(cells, size)
    ends = np.cumsum((of_score.size, of_bot.size))
    scores, bots, unknowns = np.split(pair, ends)
    return Selection(
        model=model,
        first=first,
        second=second,
        eliminated=int(is_eliminated.sum()),
        of_score=scores.reshape(of_score.shape),
        of_bot=bots,
        of_unknown=unknowns,
        bot=bot,
    )


def _cells(unknown: Ints, other: Ints, size: int) -> Ints:
    """Return each pair of unknowns as a number: the lower one, then the higher one."""
    cell: Ints = np.minimum(unknown, other) * size
    cell += np.maximum(unknown, other)
    return cell


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of a symmetric, positive definite matrix, by its blocks."""
    size = len(matrix)
    if size <= MOST_AT_ONCE:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    half = size // 2
    first = matrix[:half, :half]
    ties = matrix[:half, half:]
    second = matrix[half:, half:]
    own = inverse(first)
    scaled = own @ ties
    complement = second - ties.T @ scaled
    rest = inverse(complement)
    across = scaled @ rest
    result = np.empty_like(matrix)
    result[:half, :half] = own + across @ scaled.T
    result[:half, half:] = -across
    result[half:, :half] = -across.T
    result[half:, half:] = rest
    return result
