"""The bootstrap: the same fit, many times, as if other blocks had been played.

Each refit draws its prior anew, too.
"""

# Theory of operation
# -------------------
# A rating's interval comes from refits of the model. It is a block multiplier bootstrap: a refit
# gives each block (the matches of one set of bots with one seed, all legs) a random weight. A block
# shares its luck, so its matches must not be resampled apart: match by match, a nominal 95 %
# interval of bots without chance holds the truth in 61 % of cases.
#
# A weight of 1 + w adds w times the block's share to the slope of the log-likelihood. The sum of
# these shifts over all blocks is sampled at once, from the normal distribution that it has (Kline
# and Santos, "A score based approach to wild bootstrap inference", 2012). Its covariance,
# `by_blocks`, is computed once, so a refit costs the same for a thousand matches and for a million.
# The rejected option, sampling blocks, costs a pass over all of them.
#
# The prior is sampled anew as well (as in Newton and Raftery's weighted likelihood bootstrap,
# 1994). A bot that always won leaves nothing to resample; its interval comes from the prior. The
# spreads of the prior are estimates, too: a refit shifts the slope by what another spread would do
# to it (Kass and Steffey, 1989). The variance of a spread's logarithm is 1 / (2 n), where n is the
# number of strengths that the matches have told apart from 0.
#
# What is resampled is the luck of the matches, not what the model gets wrong. A bot that is
# stronger against one opponent than against others is so in every match, also in matches without
# end. So the share of a block counts from the mean of its seating, where that has several blocks.
#
# Three corrections keep the intervals as wide as they must be in small events:
# - The fit follows the scores, which makes the residuals too small, and a mean makes deviations
#   from it too small. `inflation`, and R / (R - 1) for a seating of R blocks, enlarge them again.
#   The fit takes its unknowns out of the blocks, not out of the matches: both legs of a block tell
#   about the same difference (Bell and McCaffrey, 2002, correct for clusters in this way).
# - Where a strength rests on few blocks, their scatter is itself a guess from few numbers, so there
#   it leans on the scatter that the model expects (LEAN_BLOCKS), as far as all blocks together say
#   that its size is right. From a hundred blocks on it changes nothing.
# - Bots far from all others have an end of their own (outsiders.py).
#
# In results from elsewhere all pairs may have played with the same seeds. Then blocks are not
# independent, and a handful of seeds decides how much strengths count: `by_shared_seeds`.
#
# intervals.py cuts the intervals of ratings and ranks from the refits. Their coverage is measured
# on leagues of known strengths: `python benchmarks/ratings.py 60 coverage`, 36 kinds of leagues
# with some 720 intervals each, so the figures are right to about 2 %. The truth is the rating after
# matches without end. benchmarks/accuracy.md has the figures, kind by kind: intervals that should
# hold it in 95 % of cases hold it in 92 to 96.5 %. Outside of this are three bots (98 %), as long
# as they have few matches.

import numpy as np
import numpy.typing as npt

from arena.results.arrays import Floats, Ints, Mask, rounded
from arena.results.ratings.fitting.estimate_priors import LEAST_FREE
from arena.results.ratings.fitting.fit import Fit
from arena.results.ratings.fitting.match_totals import MatchTotals

LEAN_BLOCKS = 20.0
"""The scatter that the model expects counts as much as this number of blocks of each strength."""
SURE = 1.0
"""The belief says as much of a spread as the strength of this number of bots, if it were known."""
WORK = 10_000_000
"""Scores times refits that are worth waiting for: some seconds. From about 60 bots on there are
fewer refits."""
FEWEST_REFITS = 200
"""But never fewer than this: a 95 % interval is then cut at the fifth refit from either end."""
LEAST_GROWTH = 1e-6
"""Information of all strengths together, below which all bots are equal."""
STEPS = 60
"""More than enough: where bots are far from all others, some 15 are needed."""
EARLIER_STEPS = 3
"""The number of earlier steps from which the next one learns."""
LONGEST_STEP = 4.0
"""In standard errors."""
UNLIKE = 1e-4
"""A change counts if later changes have left more than this part of its square."""
CLOSE_ERRORS = 0.005
"""Refits are solved to this part of a standard error."""
CHUNK_REFITS = 32
"""Refits in a chunk, at least: few enough that their numbers stay in the processor's cache."""
CHUNK_NUMBERS = 8192
"""Scores times refits in a chunk of small events, where the calls of numpy take longer than what
they compute: the refits of two bots take a tenth of the time."""
TINY = 1e-300


def bootstrap(
    totals: MatchTotals,
    fitted: Fit,
    refits: int,
    random: np.random.Generator,
) -> Floats:
    """Return P x refits: the unknowns of each refit.

    There are fewer refits where the scores are very many.
    """
    model = fitted.model
    if not model.size:
        return np.zeros((0, refits))
    most_refits = max(FEWEST_REFITS, WORK // len(model.mean))
    refits = min(refits, most_refits)
    scatter = _scatter(totals, fitted)
    pulls = fitted.pulls  # P x spreads
    known = SURE + fitted.unknowns @ pulls  # by spread
    by_spreads = 2 * pulls / known @ pulls.T
    covariance = np.asarray(scatter) + fitted.belief + by_spreads
    root = np.linalg.cholesky(covariance)
    root = rounded(root)
    draws = random.standard_normal((model.size, refits))
    shifts = rounded(root @ draws)
    solver = _Solver(fitted)
    return solver.solve(shifts)


def inflation(totals: MatchTotals, fitted: Fit, seatings: Mask) -> float:
    """Return the factor that undoes the fit's effect on squared residuals of blocks.

    It is the number of blocks of these seatings, divided by the same number less the unknowns that
    the fit took from them: a part of all that it used, as large as their part of the information.
    """
    # The trace of a product is the sum over the cells of one factor, times the other transposed.
    traced = fitted.covariance * fitted.information.T
    used = float(traced.sum())
    expected = fitted.expected
    information = fitted.weight * expected * (1 - expected)  # N
    score_counts = seatings[fitted.model.seating]  # N
    counted = information[score_counts]
    all_information = float(information.sum())
    counted_information = float(counted.sum())
    share = counted_information / max(all_information, 1e-9)

    part_counts = seatings[totals.seating]  # B
    counted_blocks = totals.block[part_counts]
    blocks = len(np.unique(counted_blocks))
    free = 1 - used * share / max(blocks, 1)
    return 1 / max(free, LEAST_FREE)


def _scatter(totals: MatchTotals, fitted: Fit) -> Floats:
    """Return P x P: the covariance of the slope, from the blocks and from the model."""
    model = fitted.model
    measured = by_blocks(totals, fitted)
    blocks = _blocks(totals, fitted)

    # All bots together say how far the model is right about the size of the scatter.
    bots = slice(len(model.advantages), None)
    measured_variances = measured.diagonal()[bots]
    model_variances = fitted.scatter.diagonal()[bots]
    of_blocks = measured_variances.sum()
    of_model = model_variances.sum()
    # Two bots meet in a block.
    independent = blocks[bots].sum() / 2
    measured_size = independent * of_blocks / of_model
    size = (LEAN_BLOCKS + measured_size) / (LEAN_BLOCKS + independent)

    # The number of blocks that each unknown rests on decides how much of the expected scatter its
    # own is mixed with.
    lean = LEAN_BLOCKS / (LEAN_BLOCKS + blocks)
    free = 1 - lean
    measured_part = np.sqrt(np.outer(free, free))  # P x P
    model_part = np.sqrt(np.outer(lean, lean))  # P x P
    of_measured = measured * measured_part
    of_expected = size * fitted.scatter * model_part
    added = by_shared_seeds(totals, fitted)
    return np.asarray(of_measured + of_expected + added)


def _blocks(totals: MatchTotals, fitted: Fit) -> Floats:
    """Return P: how many blocks each unknown rests on, less those that means used up."""
    model = fitted.model
    seatings = len(totals.seats)
    parts = np.bincount(totals.seating, minlength=seatings)  # S
    scores = np.bincount(model.seating, minlength=seatings)  # S
    free_parts = np.where(parts > 1, parts - 1, parts)
    free = free_parts / np.maximum(scores, 1)  # S
    free_by_score = free[model.seating]  # N
    rests_on_it = model.credit != 0  # N x K
    used = rests_on_it * free_by_score[:, None]  # N x K
    blocks = np.bincount(
        model.unknown.ravel(),
        weights=used.ravel(),
        minlength=model.size,
    )
    return blocks.astype(np.float64)


def by_blocks(totals: MatchTotals, fitted: Fit) -> Floats:
    """Return P x P: the scatter of the slope over the blocks.

    It is the sum over the blocks of their share of the slope, times itself.
    """
    model = fitted.model
    score, surplus = _surplus(totals, fitted)
    seatings, roles = score.shape
    at = totals.seating
    total = np.zeros(model.size**2)
    for left, right, times in totals.pairs_of_parts():
        # Parts with the same pair of seatings have the same unknowns: they are summed first,
        # because there are few pairs.
        code = at[left] * seatings + at[right]
        pairs, pair = np.unique(code, return_inverse=True)
        first, second = np.divmod(pairs, seatings)
        for left_role in range(roles):
            left_surplus = times * surplus[left, left_role]
            for right_role in range(roles):
                products = left_surplus * surplus[right, right_role]
                by_pair = np.bincount(pair, weights=products)
                total += _by_unknowns(
                    fitted,
                    score[first, left_role],
                    score[second, right_role],
                    np.asarray(by_pair, dtype=np.float64),
                )
    square = total.reshape(model.size, model.size)
    both_orders = square + square.T
    return np.asarray(both_orders / 2)


def _surplus(totals: MatchTotals, fitted: Fit) -> tuple[Ints, Floats]:
    """Return the score of each role (S x K) and its share of the slope (B x K).

    Where a role has no score, any may stand. A share counts from the mean of its seating, or, if
    that has one block, from what the fit expects.
    """
    model = fitted.model
    shape = totals.seats.shape  # S x K
    cells = (model.seating, model.role)
    score: Ints = np.zeros(shape, dtype=np.int64)
    score[cells] = np.arange(len(model.seating))
    weight = np.zeros(shape)
    weight[cells] = fitted.weight / totals.matches[model.seating]
    expected = np.zeros(shape)
    expected[cells] = fitted.expected

    counts = np.bincount(totals.seating, minlength=len(totals.seats))  # S
    parts = counts[:, None]  # S x 1
    has_several = parts > 1
    most_points = 100 * totals.matches[:, None]
    mean = totals.scores / most_points
    expected = np.where(has_several, mean, expected)

    # The fit makes residuals too small, and so does a mean: weights undo that.
    has_one = counts == 1  # S
    of_single = inflation(totals, fitted, has_one)
    free_parts = np.maximum(parts - 1, 1)
    of_several = parts / free_parts
    lost = np.where(has_several, of_several, of_single)
    weight = weight * np.sqrt(lost)

    at = totals.seating
    part_matches = totals.part_matches[:, None]  # B x 1
    expected_scores = part_matches * expected[at]  # B x K
    wins = totals.part_scores / 100
    difference = wins - expected_scores
    return score, weight[at] * difference


def by_shared_seeds(totals: MatchTotals, fitted: Fit) -> Floats:
    """Return P x P: what is added to the scatter because blocks of other bots have the same seeds.

    It is 0 if none do. The luck of a seed makes strengths count for more or for less in all of its
    matches, so it is measured in one direction: that in which all strengths grow.
    """
    model = fitted.model
    seeds, seed = np.unique(totals.seed, return_inverse=True)
    blocks = 1 + int(totals.block.max(initial=-1))
    advantages = len(model.advantages)
    strength = fitted.unknowns.copy()
    strength[:advantages] = 0
    direction = fitted.information @ strength
    growth = float(strength @ direction)
    if len(seeds) == blocks or growth < LEAST_GROWTH:
        return np.zeros((model.size, model.size))

    score, surplus = _surplus(totals, fitted)
    by_unknown = model.credit * strength[model.unknown]  # N x K
    by_score = by_unknown.sum(axis=1)  # N
    part_score = score[totals.seating]  # B x K
    by_role = surplus * by_score[part_score]  # B x K
    by_part = by_role.sum(axis=1)  # B
    by_seed = np.bincount(seed, weights=by_part)
    by_block = np.bincount(totals.block, weights=by_part)
    seed_squares = by_seed**2
    block_squares = by_block**2
    added = float(seed_squares.sum() - block_squares.sum())
    added = max(0.0, added)
    surplus_scatter = added / growth**2
    along_direction = np.outer(direction, direction)  # P x P
    return np.asarray(surplus_scatter * along_direction)


def _by_unknowns(
    fitted: Fit,
    left: Ints,
    right: Ints,
    summed: Floats,
) -> Floats:
    """Return P * P: each pair of scores' sum, times the factors of the unknowns in both."""
    model = fitted.model
    size = model.size
    cells = size * size
    columns = range(model.unknown.shape[1])
    total = np.zeros(cells)
    for left_column in columns:
        left_unknown = model.unknown[left, left_column]
        left_products = summed * model.credit[left, left_column]
        for right_column in columns:
            right_unknown = model.unknown[right, right_column]
            cell = left_unknown * size + right_unknown
            products = left_products * model.credit[right, right_column]
            total += np.bincount(cell, weights=products, minlength=cells)
    return total


class _Solver:
    """Newton's method for many refits at once, which begins at the fit.

    It has the second derivatives of the fit only. By them alone, steps would go to and fro for ever
    where a refit brings a bot closer to the others than the fit has it, and come closer ever more
    slowly where it takes it away. So a step also learns from the steps before how much each has
    changed the next one (Anderson, "Iterative procedures for nonlinear integral equations", 1965).
    The method of conjugate gradients is no choice: the slope of an overall fit is that of no
    function.

    Slopes are computed in single precision, ten times faster and right enough, and chunk by chunk,
    in the processor's cache. The steps of all refits are one product with the covariance, which is
    larger.
    """

    def __init__(self, fitted: Fit) -> None:
        model = fitted.model
        self.fitted = fitted
        self.covariance = fitted.covariance
        variance = np.abs(np.diag(self.covariance))
        self.error = np.sqrt(variance)[:, None]

        # The terms of the slope, sorted by unknown: a score has one for each of its unknowns.
        unknown = model.unknown.ravel()
        credit = model.credit.ravel()
        used = np.flatnonzero(credit)
        by_unknown = np.argsort(unknown[used], kind="stable")
        order = used[by_unknown]
        self.starts = _starts(unknown[order])
        terms_of_score = model.unknown.shape[1]
        self.score = order // terms_of_score
        self.credit = _single(credit[order])
        self.weight = _single(fitted.weight)
        self.mean = _single(model.mean)

        # The cells of the prior that are not 0, row by row.
        row, self.pulling = np.nonzero(fitted.prior)
        precision = fitted.prior[row, self.pulling]
        self.prior = precision[:, None]
        self.rows = _starts(row)
        self.level = fitted.level[:, None]

    def solve(self, shifts: Floats) -> Floats:
        """Return P x T: the unknowns at which the slope, shifted by each column, is 0."""
        refits = shifts.shape[1]
        start = self.fitted.unknowns[:, None]
        solved = np.repeat(start, refits, axis=1)
        columns = np.arange(refits)
        unknowns = solved.copy()
        step = self._step(unknowns, shifts)
        move = step
        changes: list[tuple[Floats, Floats]] = []
        """What the last moves were, and how each changed the step; the latest is the first."""
        for _ in range(STEPS):
            earlier_unknowns = unknowns
            earlier_step = step
            unknowns = rounded(unknowns + move)
            solved[:, columns] = unknowns
            step = self._step(unknowns, shifts)
            moving = self._longest(step) >= CLOSE_ERRORS
            if not moving.any():
                break

            change = (unknowns - earlier_unknowns, step - earlier_step)
            changes.insert(0, change)
            del changes[EARLIER_STEPS:]
            columns = columns[moving]
            unknowns = unknowns[:, moving]
            shifts = shifts[:, moving]
            step = step[:, moving]
            of_moving = []
            for of_unknowns, of_step in changes:
                of_moving.append((of_unknowns[:, moving], of_step[:, moving]))
            changes = of_moving
            move = self._move(step, changes)
        return solved

    def _move(self, step: Floats, changes: list[tuple[Floats, Floats]]) -> Floats:
        """Return P x T: a step, corrected by what the moves before it have changed."""
        move = step
        unlike: list[tuple[Floats, Floats]] = []
        for of_unknowns, of_step in changes:
            square = self._product(of_step, of_step)
            for later_of_unknowns, later_of_step in unlike:
                part = self._part(of_step, later_of_step)
                of_unknowns = of_unknowns - part * later_of_unknowns
                of_step = of_step - part * later_of_step
            # What is almost the same as the later ones would add nothing but noise.
            unlike_square = self._product(of_step, of_step)
            is_unlike = unlike_square > UNLIKE * square
            of_unknowns = of_unknowns * is_unlike
            of_step = of_step * is_unlike
            unlike.append((of_unknowns, of_step))
            part = self._part(step, of_step)
            move = move - part * (of_unknowns + of_step)
        longest = self._longest(move)
        longest = np.maximum(longest, LONGEST_STEP)
        shortened = LONGEST_STEP / longest
        return np.asarray(move * shortened)

    def _longest(self, step: Floats) -> Floats:
        """Return T: the longest part of each step, in standard errors."""
        errors = np.abs(step) / self.error
        return np.asarray(errors.max(axis=0))

    def _part(self, left: Floats, right: Floats) -> Floats:
        """Return T: how much of the right column there is in the left one."""
        product = self._product(left, right)
        square = self._product(right, right)
        return np.asarray(product / np.maximum(square, TINY))

    def _product(self, left: Floats, right: Floats) -> Floats:
        """Return T: the products of columns, in squares of standard errors."""
        products = left * right / self.error**2
        return np.asarray(products.sum(axis=0))

    def _step(self, unknowns: Floats, shifts: Floats) -> Floats:
        """Return P x T: the step by the second derivatives of the fit."""
        refits_of_numbers = CHUNK_NUMBERS // len(self.mean)
        size = max(CHUNK_REFITS, refits_of_numbers)
        slopes = []
        for start in range(0, unknowns.shape[1], size):
            end = start + size
            chunk = unknowns[:, start:end]
            slope_of_chunk = self._slope(chunk)
            slopes.append(slope_of_chunk)
        slope = np.hstack(slopes)
        slope = slope + shifts
        return rounded(self.covariance @ slope)

    def _slope(self, unknowns: Floats) -> Floats:
        """Return P x T: the slope at these unknowns, by the scores and the prior."""
        model = self.fitted.model
        refits = unknowns.shape[1]
        columns = model.unknown.shape[1]
        values = unknowns.astype(np.float32)
        shape = (len(model.mean), refits)  # N x T
        logit = np.zeros(shape, dtype=np.float32)
        for column in range(columns):
            factor = _single(model.factor[:, column])
            unknown = model.unknown[:, column]
            logit += factor * values[unknown]

        # The expected score is 0.5 + 0.5 tanh(logit / 2).
        tanh = np.tanh(0.5 * logit)
        surplus = self.weight * (self.mean - 0.5 - 0.5 * tanh)
        by_unknown = self.credit * surplus[self.score]  # terms x T
        by_scores = np.add.reduceat(by_unknown, self.starts, axis=0)  # P x T

        pulled = self.prior * unknowns[self.pulling]  # cells of the prior x T
        by_prior = np.add.reduceat(pulled, self.rows, axis=0)  # P x T

        leveled = self.level * unknowns  # P x T
        by_level = self.level * leveled.sum(axis=0)
        return np.asarray(by_scores - by_prior - by_level)


def _single(values: Floats) -> npt.NDArray[np.float32]:
    return values.astype(np.float32)[:, None]


def _starts(values: Ints) -> Ints:
    """Return where each run of equal values begins; none of them is below 0."""
    is_new = np.diff(values, prepend=-1)
    return np.flatnonzero(is_new)
