"""Points, as in the standings, with intervals.

A bot's points are the mean of its mean scores, 0 to 100, in all board roles.
Points depend on the opponents that a bot met, so they compare bots well only where all bots met all
others.
"""

# The intervals are of the points that the same matches would bring if they were played again: a
# block bootstrap of the means (bootstrap.py has the reasons for blocks). The surplus of a block is
# counted against the score that the fit of `bradley_terry` expects of its seating, because a bot's
# mean over unlike opponents scatters less than its scores do. One match won and one lost are added
# for each role, so that a bot that always won has an interval, too (Agresti and Coull, 1998).

import numpy as np

from arena.results.arrays import Arrays, Floats, Ints, Mask, rounded
from arena.results.ratings import REFITS, Ratings
from arena.results.ratings.fitting.bootstrap import inflation
from arena.results.ratings.fitting.estimate_priors import estimate
from arena.results.ratings.fitting.fit import Fit
from arena.results.ratings.fitting.intervals import Cells, ratings_of
from arena.results.ratings.fitting.match_totals import MatchTotals, add_up
from arena.results.ratings.fitting.model import model_of


def rate(arrays: Arrays, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches."""
    totals = add_up(arrays)
    width = max(1, len(totals.board_roles))
    code = np.where(totals.seats >= 0, totals.seats * width + totals.board_role, -1)
    codes = np.unique(code[code >= 0])
    cell = np.where(
        code >= 0, np.searchsorted(codes, code), -1
    )  # S x K: a number for each bot in its board role
    resamples = _resamples(totals, cell, len(codes), refits, np.random.default_rng(abs(seed)))
    bot, count = codes // width, len(totals.bots)
    overall = np.zeros((count, resamples.shape[1]))
    np.add.at(overall, bot, resamples)
    overall /= np.maximum(np.bincount(bot, minlength=count), 1)[:, None]
    cells = Cells(bot=bot, board_role=codes % width, rows=resamples, middle=None)
    return ratings_of("points", totals, overall, cells)  # all of them are between 0 and 100


def _resamples(
    totals: MatchTotals, cell: Ints, size: int, refits: int, random: np.random.Generator
) -> Floats:
    """Return each cell's mean score, then as many resamples of it."""
    if not size:
        return np.zeros((0, 1 + refits))
    count = _by_cell(cell, np.broadcast_to(totals.matches[:, None], cell.shape), size)
    mean = _by_cell(cell, totals.scores, size) / count
    blocks = _by_cell(cell[totals.seating], np.ones(totals.part_scores.shape), size)
    noise, dispersion = _noise(totals, cell, count)
    extra = dispersion / (blocks + 2 * dispersion)
    center = (1 - 2 * extra) * mean + 100 * extra
    noise[np.diag_indices(size)] += (
        (center**2 + (100 - center) ** 2) * extra / (blocks + 2 * dispersion)
    )
    root = rounded(np.linalg.cholesky(noise))
    samples = rounded(center[:, None] + root @ random.standard_normal((size, refits)))
    return np.column_stack((mean, np.clip(samples, 0, 100)))


def _noise(totals: MatchTotals, cell: Ints, count: Floats) -> tuple[Floats, Floats]:
    """Return the covariance of the means of cells over the blocks, and the dispersion of cells."""
    fitted = estimate(model_of(totals))
    expected, dispersion = expectations(totals, fitted)
    at, size, roles = totals.seating, len(count), range(cell.shape[1])
    surplus = totals.part_scores - 100 * totals.part_matches[:, None] * expected[at]
    share = np.where(cell[at] >= 0, surplus / count[cell[at]], 0.0)
    total = np.zeros(size * size)
    for left, right, times in totals.pairs_of_parts():
        for left_role in roles:
            for right_role in roles:
                index = np.maximum(
                    cell[at[left], left_role] * size + cell[at[right], right_role], 0
                )
                products = times * share[left, left_role] * share[right, right_role]
                total += np.bincount(index, weights=products, minlength=size * size)
    square = inflation(totals, fitted) * total.reshape(size, size)
    mean_dispersion = _by_cell(cell, dispersion, size) / _by_cell(cell, np.ones(cell.shape), size)
    return (square + square.T) / 2, mean_dispersion


def expectations(totals: MatchTotals, fitted: Fit) -> tuple[Floats, Floats]:
    """Return S x K: the score, 0 to 1, that each role can expect, and its dispersion.

    A role whose score the model left out has that of its side's role before it, or, on the second
    side of a zero-sum board, what the first side leaves. Beyond a board's last role the figures
    have no meaning.
    """
    score: Ints = np.full(totals.seats.shape, -1)
    score[fitted.model.seating, fitted.model.role] = np.arange(len(fitted.model.seating))
    against: Mask = np.zeros(score.shape, dtype=np.bool_)
    side = totals.side
    for role in range(1, score.shape[1]):
        left_out, mate = score[:, role] < 0, side[:, role] == side[:, role - 1]
        score[:, role] = np.where(
            left_out, np.where(mate, score[:, role - 1], score[:, 0]), score[:, role]
        )
        against[:, role] = left_out & np.where(mate, against[:, role - 1], True)
    expected = fitted.expected[score]
    return np.where(against, 1 - expected, expected), fitted.dispersion[score]


def _by_cell(cell: Ints, values: Floats | Ints, size: int) -> Floats:
    used = cell >= 0
    return np.bincount(cell[used], weights=values[used], minlength=size).astype(np.float64)
