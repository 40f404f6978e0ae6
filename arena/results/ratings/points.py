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
    # A cell is a bot in a board role; its code is a number for both.
    width = max(1, len(totals.board_roles))
    code = totals.seats * width + totals.board_role  # S x K
    code = np.where(totals.seats >= 0, code, -1)
    codes = np.unique(code[code >= 0])  # C
    cell = np.where(code >= 0, np.searchsorted(codes, code), -1)  # S x K: an index in `codes`
    bot = codes // width  # C
    board_role = codes % width  # C

    random = np.random.default_rng(abs(seed))
    resamples = _resamples(totals, cell, len(codes), refits, random)  # C x (1 + refits)
    count = len(totals.bots)
    overall = np.zeros((count, resamples.shape[1]))
    np.add.at(overall, bot, resamples)
    roles_played = np.bincount(bot, minlength=count)
    overall /= np.maximum(roles_played, 1)[:, None]
    cells = Cells(bot=bot, board_role=board_role, rows=resamples)
    return ratings_of("points", totals, overall, cells)  # all of them are between 0 and 100


def _resamples(
    totals: MatchTotals, cell: Ints, size: int, refits: int, random: np.random.Generator
) -> Floats:
    """Return each cell's mean score, then as many resamples of it."""
    if not size:
        return np.zeros((0, 1 + refits))
    matches = np.broadcast_to(totals.matches[:, None], cell.shape)  # S x K
    count = _by_cell(cell, matches, size)
    mean = _by_cell(cell, totals.scores, size) / count
    parts = np.ones(totals.part_scores.shape)  # B x K
    blocks = _by_cell(cell[totals.seating], parts, size)

    # A match won and a match lost are added, each as far as a block of the cell counts.
    noise, dispersion = _noise(totals, cell, count)  # size x size, size
    counted = blocks + 2 * dispersion
    extra = dispersion / counted
    center = (1 - 2 * extra) * mean + 100 * extra
    distances = center**2 + (100 - center) ** 2
    noise[np.diag_indices(size)] += distances * extra / counted

    root = rounded(np.linalg.cholesky(noise))
    shifts = root @ random.standard_normal((size, refits))
    samples = rounded(center[:, None] + shifts)
    return np.column_stack((mean, np.clip(samples, 0, 100)))


def _noise(totals: MatchTotals, cell: Ints, count: Floats) -> tuple[Floats, Floats]:
    """Return the covariance of the means of cells over the blocks, and the dispersion of cells."""
    fitted = estimate(model_of(totals))
    expected, dispersion = expectations(totals, fitted)  # S x K
    size = len(count)
    roles = range(cell.shape[1])
    part_cell = cell[totals.seating]  # B x K
    expected_sums = 100 * totals.part_matches[:, None] * expected[totals.seating]
    surplus = totals.part_scores - expected_sums
    share = np.where(part_cell >= 0, surplus / count[part_cell], 0.0)
    total = np.zeros(size * size)
    for left, right, weight in totals.pairs_of_parts():
        for left_role in roles:
            for right_role in roles:
                pair = part_cell[left, left_role] * size + part_cell[right, right_role]
                pair = np.maximum(pair, 0)  # where a role is missing the product is 0
                products = weight * share[left, left_role] * share[right, right_role]
                total += np.bincount(pair, weights=products, minlength=size * size)
    every_seating: Mask = np.ones(len(totals.seats), dtype=np.bool_)
    square = inflation(totals, fitted, every_seating) * total.reshape(size, size)
    seatings = _by_cell(cell, np.ones(cell.shape), size)
    mean_dispersion = _by_cell(cell, dispersion, size) / seatings
    return (square + square.T) / 2, mean_dispersion


def expectations(totals: MatchTotals, fitted: Fit) -> tuple[Floats, Floats]:
    """Return S x K: the score, 0 to 1, that each role can expect, and its dispersion.

    A role whose score the model left out has that of its side's role before it, or, on the second
    side of a zero-sum board, what the first side leaves. Beyond a board's last role the figures
    have no meaning.
    """
    model = fitted.model
    score: Ints = np.full(totals.seats.shape, -1)
    score[model.seating, model.role] = np.arange(len(model.seating))
    against: Mask = np.zeros(score.shape, dtype=np.bool_)
    side = totals.side
    for role in range(1, score.shape[1]):
        left_out = score[:, role] < 0
        is_mate = side[:, role] == side[:, role - 1]
        substitute = np.where(is_mate, score[:, role - 1], score[:, 0])
        score[:, role] = np.where(left_out, substitute, score[:, role])
        against[:, role] = left_out & np.where(is_mate, against[:, role - 1], True)
    expected = fitted.expected[score]
    expected = np.where(against, 1 - expected, expected)
    return expected, fitted.dispersion[score]


def _by_cell(cell: Ints, values: Floats | Ints, size: int) -> Floats:
    """Return the sum of the values of each cell."""
    used = cell >= 0
    sums = np.bincount(cell[used], weights=values[used], minlength=size)
    return sums.astype(np.float64)
