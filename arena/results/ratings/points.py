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
    is_seat = totals.seats >= 0
    codes = np.unique(code[is_seat])  # C
    index = np.searchsorted(codes, code)
    cell = np.where(is_seat, index, -1)  # S x K: an index in `codes`
    bot = codes // width  # C
    board_role = codes % width  # C

    random = np.random.default_rng(abs(seed))
    resamples = _resamples(totals, cell, len(codes), refits, random)  # C x (1 + refits)

    # The mean over the cells of each bot.
    count = len(totals.bots)
    columns = resamples.shape[1]
    overall = np.zeros((count, columns))  # N x (1 + refits)
    np.add.at(overall, bot, resamples)
    roles_played = np.bincount(bot, minlength=count)
    divisor = np.maximum(roles_played, 1)
    overall /= divisor[:, None]
    cells = Cells(bot=bot, board_role=board_role, rows=resamples)
    return ratings_of("points", totals, overall, cells)  # all of them are between 0 and 100


def _resamples(
    totals: MatchTotals,
    cell: Ints,
    size: int,
    refits: int,
    random: np.random.Generator,
) -> Floats:
    """Return each cell's mean score, then as many resamples of it."""
    if not size:
        return np.zeros((0, 1 + refits))
    matches = np.broadcast_to(totals.matches[:, None], cell.shape)  # S x K
    count = _by_cell(cell, matches, size)
    sum_of_scores = _by_cell(cell, totals.scores, size)
    mean = sum_of_scores / count
    part_cell = cell[totals.seating]  # B x K
    ones = np.ones(part_cell.shape)
    blocks = _by_cell(part_cell, ones, size)

    # A match won and a match lost are added, each as far as a block of the cell counts.
    noise, dispersion = _noise(totals, cell, count)  # size x size, size
    counted = blocks + 2 * dispersion
    extra = dispersion / counted
    of_played = (1 - 2 * extra) * mean
    center = of_played + 100 * extra
    above = 100 - center
    distances = center**2 + above**2
    diagonal = np.diag_indices(size)
    noise[diagonal] += distances * extra / counted

    root = np.linalg.cholesky(noise)
    root = rounded(root)
    draws = random.standard_normal((size, refits))
    shifts = root @ draws
    samples = center[:, None] + shifts  # size x refits
    samples = rounded(samples)
    samples = np.clip(samples, 0, 100)
    return np.column_stack((mean, samples))


def _noise(
    totals: MatchTotals,
    cell: Ints,
    count: Floats,
) -> tuple[Floats, Floats]:
    """Return the covariance of the means of cells over the blocks, and the dispersion of cells."""
    model = model_of(totals)
    fitted = estimate(model)
    expected, dispersion = expectations(totals, fitted)  # S x K
    size = len(count)
    roles = range(cell.shape[1])
    part_cell = cell[totals.seating]  # B x K
    part_expected = expected[totals.seating]  # B x K
    expected_sums = 100 * totals.part_matches[:, None] * part_expected
    surplus = totals.part_scores - expected_sums
    share = surplus / count[part_cell]
    share = np.where(part_cell >= 0, share, 0.0)

    pairs = size * size
    total = np.zeros(pairs)
    for left, right, weight in totals.pairs_of_parts():
        for left_role in roles:
            left_cell = part_cell[left, left_role]
            left_share = weight * share[left, left_role]
            for right_role in roles:
                right_cell = part_cell[right, right_role]
                right_share = share[right, right_role]
                pair = left_cell * size + right_cell
                pair = np.maximum(pair, 0)  # where a role is missing the product is 0
                products = left_share * right_share
                total += np.bincount(pair, weights=products, minlength=pairs)

    seatings = len(totals.seats)
    every_seating: Mask = np.ones(seatings, dtype=np.bool_)
    factor = inflation(totals, fitted, every_seating)
    square = factor * total.reshape(size, size)
    both_orders = square + square.T
    covariance = both_orders / 2

    ones = np.ones(cell.shape)
    cell_seatings = _by_cell(cell, ones, size)
    sum_of_dispersions = _by_cell(cell, dispersion, size)
    mean_dispersion = sum_of_dispersions / cell_seatings
    return covariance, mean_dispersion


def expectations(totals: MatchTotals, fitted: Fit) -> tuple[Floats, Floats]:
    """Return S x K: the score, 0 to 1, that each role can expect, and its dispersion.

    A role whose score the model left out has that of its side's role before it, or, on the second
    side of a zero-sum board, what the first side leaves. Beyond a board's last role the figures
    have no meaning.
    """
    model = fitted.model
    shape = totals.seats.shape  # S x K
    score: Ints = np.full(shape, -1)
    score[model.seating, model.role] = np.arange(len(model.seating))
    is_against: Mask = np.zeros(shape, dtype=np.bool_)
    side = totals.side
    first_score = score[:, 0]
    for role in range(1, shape[1]):
        before = role - 1
        own_score = score[:, role]
        left_out = own_score < 0

        is_mate = side[:, role] == side[:, before]
        score_before = score[:, before]
        substitute = np.where(is_mate, score_before, first_score)
        score[:, role] = np.where(left_out, substitute, own_score)

        against_before = is_against[:, before]
        mate_is_against = np.where(is_mate, against_before, True)
        is_against[:, role] = left_out & mate_is_against

    expected = fitted.expected[score]
    expected = np.where(is_against, 1 - expected, expected)
    dispersion = fitted.dispersion[score]
    return expected, dispersion


def _by_cell(cell: Ints, values: Floats | Ints, size: int) -> Floats:
    """Return the sum of the values of each cell."""
    used = cell >= 0
    sums = np.bincount(
        cell[used],
        weights=values[used],
        minlength=size,
    )
    return sums.astype(np.float64)
