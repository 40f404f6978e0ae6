"""The refits: the same fit, many times over, as if other blocks had been played and other bots believed in.

A block multiplier bootstrap. A refit takes each block (the matches of one set of bots with one seed, all legs) as often
as chance will have it, which shifts the slope of the likelihood by so much of that block's share of it. The sum of
these shifts is drawn at once, from the normal distribution that it has (Kline and Santos, "A score based approach to
wild bootstrap inference", 2012), so a refit costs the same for a thousand matches and for a million. The prior is drawn
anew as well (as in Newton and Raftery's weighted likelihood bootstrap, 1994): that gives a bot that always won, whose
matches leave nothing to resample, the interval that it should have.

Where a strength rests on few blocks their scatter is a guess from few numbers, so there it leans on the scatter that
the model expects: in simulated leagues of one match a seating a 95 % interval then holds the truth in 94 % of cases,
without it in 91 to 93 %. From a hundred blocks on it makes no difference. All figures: benchmarks/ratings.py.
"""

import numpy as np
import numpy.typing as npt

from arena.ratings.fitting.columns import Floats, Ints
from arena.ratings.fitting.evidence import Evidence
from arena.ratings.fitting.fit import Fit

LEAN = 20.0
"""The scatter that the model expects counts as much as so many blocks of each strength."""
LEAST = 0.2
"""Of the matches that are left when each unknown has used up its own: with fewer, residuals tell next to nothing."""
WORK = 10_000_000
"""Scores times refits that are worth waiting for: some seconds. With more scores, as of 60 bots and up, ..."""
FEWEST = 200
"""... there are fewer refits, but so many at least: a 95 % interval is then cut at the fifth from either end."""
STEPS = 60
CLOSE = 0.02
"""Refits are solved to so small a part of a standard error."""
CHUNK = 32
"""Refits solved together: few enough that their numbers stay in the processor's cache."""


def refits(seen: Evidence, found: Fit, times: int, random: np.random.Generator) -> Floats:
    """P x times: the unknowns of each refit; fewer of them where the scores are very many."""
    if not found.model.size:
        return np.zeros((0, times))
    times = min(times, max(FEWEST, WORK // len(found.model.mean)))
    noise = np.linalg.cholesky(_scatter(seen, found) + found.prior)
    shifts = noise @ random.standard_normal((found.model.size, times))
    solver = _Solver(found)
    return np.hstack([solver.solve(shifts[:, at : at + CHUNK]) for at in range(0, times, CHUNK)])


def _scatter(seen: Evidence, found: Fit) -> Floats:
    """P x P: the covariance of the likelihood's slope, by the blocks, leaning on the model where they are few."""
    lean = LEAN / (LEAN + _blocks(seen, found))
    scatter = inflation(seen, found) * by_blocks(seen, found)
    return np.asarray(scatter * _outer_root(1 - lean) + found.information * _outer_root(lean))


def inflation(seen: Evidence, found: Fit) -> float:
    """What puts back into squared residuals what the fit took out of them: matches over matches less unknowns."""
    free = float(np.trace(found.covariance @ found.information))
    return 1 / max(1 - free / float(seen.different.sum()), LEAST)


def _outer_root(values: Floats) -> Floats:
    return np.asarray(np.sqrt(np.outer(values, values)))


def _blocks(seen: Evidence, found: Fit) -> Floats:
    """P: how many blocks each unknown rests on."""
    model = found.model
    parts, scores = np.bincount(seen.seating), np.bincount(model.seating)
    used = (model.factor != 0) * (parts / scores)[model.seating][:, None]
    return np.bincount(model.unknown.ravel(), weights=used.ravel(), minlength=model.size).astype(np.float64)


def by_blocks(seen: Evidence, found: Fit) -> Floats:
    """P x P: the sum over the blocks of their share of the slope, times itself."""
    score, surplus = _surplus(seen, found)
    total = np.zeros(found.model.size**2)
    for one, other, times in seen.within_blocks():
        pairs, which = _pairs(seen.seating[one], seen.seating[other], len(seen.seats))
        for mine in range(score.shape[1]):
            for theirs in range(score.shape[1]):
                by = times * surplus[one, mine] * surplus[other, theirs]
                summed = np.asarray(np.bincount(which, weights=by), dtype=np.float64)
                total += _by_unknowns(found, score[pairs[0], mine], score[pairs[1], theirs], summed)
    square = total.reshape(found.model.size, found.model.size)
    return np.asarray((square + square.T) / 2)


def _pairs(one: Ints, other: Ints, count: int) -> tuple[tuple[Ints, Ints], Ints]:
    """The different pairs of seatings, of which there are so many; and for each row which of them it is."""
    pairs, which = np.unique(one * count + other, return_inverse=True)
    return np.divmod(pairs, count), which


def _surplus(seen: Evidence, found: Fit) -> tuple[Ints, Floats]:
    """S x K: which score a role's is, any where it is none; B x K: by how much a part's scores surpass expectation."""
    model = found.model
    score: Ints = np.zeros(seen.seats.shape, dtype=np.int64)
    weight, expected = np.zeros((2, *seen.seats.shape))
    score[model.seating, model.role] = np.arange(len(model.seating))
    weight[model.seating, model.role] = found.weight / seen.matches[model.seating]
    expected[model.seating, model.role] = found.expected
    at = seen.seating
    return score, weight[at] * (seen.part_scores / 100 - seen.part_matches[:, None] * expected[at])


def _by_unknowns(found: Fit, one: Ints, other: Ints, summed: Floats) -> Floats:
    """P * P: each pair of scores' sum, times the factors of the unknowns in the one and in the other."""
    model, size = found.model, found.model.size
    total = np.zeros(size * size)
    for mine in range(model.unknown.shape[1]):
        for theirs in range(model.unknown.shape[1]):
            cell = model.unknown[one, mine] * size + model.unknown[other, theirs]
            by = summed * model.factor[one, mine] * model.factor[other, theirs]
            total += np.bincount(cell, weights=by, minlength=size * size)
    return total


class _Solver:
    """Newton's method for many refits at once, warm from the fit, with the fit's own curvature throughout.

    In single precision: a refit that is right to a fiftieth of a standard error is right enough, and ten times faster.
    """

    def __init__(self, found: Fit) -> None:
        self.found = found
        self.covariance = found.covariance
        self.error = np.sqrt(np.diag(self.covariance))[:, None]
        used = np.flatnonzero(found.model.factor.ravel())
        order = used[np.argsort(found.model.unknown.ravel()[used], kind="stable")]
        unknown = found.model.unknown.ravel()[order]
        self.starts = np.flatnonzero(np.diff(unknown, prepend=-1))
        self.score = order // found.model.unknown.shape[1]
        self.factor = _single(found.model.factor.ravel()[order])
        self.weight, self.mean = _single(found.weight), _single(found.model.mean)

    def solve(self, shifts: Floats) -> Floats:
        """P x T: where the slope, shifted by each column, is level."""
        now = self.found.unknowns[:, None] + self.covariance @ shifts
        for _ in range(STEPS):
            step = self.covariance @ (self._slope(now) + shifts - self.found.prior @ now)
            now = now + step
            if (np.abs(step) / self.error).max() < CLOSE:
                break
        return now

    def _slope(self, now: Floats) -> npt.NDArray[np.float32]:
        model, values = self.found.model, now.astype(np.float32)
        logit = np.zeros((len(model.mean), now.shape[1]), dtype=np.float32)
        for column in range(model.unknown.shape[1]):
            logit += _single(model.factor[:, column]) * values[model.unknown[:, column]]
        surplus = self.weight * (self.mean - 0.5 - 0.5 * np.tanh(0.5 * logit))
        return np.asarray(np.add.reduceat(self.factor * surplus[self.score], self.starts, axis=0))


def _single(values: Floats) -> npt.NDArray[np.float32]:
    """A column in single precision."""
    return values.astype(np.float32)[:, None]
