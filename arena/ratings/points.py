"""Points: the mean over (board, role) of a bot's mean score in it, 0 to 100, as in the standings; here with intervals.

Points hang on whom a bot met, so they compare bots well only where all met all. The intervals are of the points that
the same matches would bring if they were played again: a block bootstrap of the means, drawn from the normal
distribution that it has, about what the fit of `bradley_terry` expects of each seating. One match won and one lost are
thrown in for each role, so that a bot that always won is not thought to win for ever (Agresti and Coull, 1998).
"""

import numpy as np

from arena.ratings import REFITS, Ratings
from arena.ratings.fitting.columns import Columns, Floats, Ints
from arena.ratings.fitting.evidence import Evidence, evidence
from arena.ratings.fitting.learn import learn
from arena.ratings.fitting.model import model_of
from arena.ratings.fitting.refits import inflation
from arena.ratings.fitting.roles import by_role
from arena.ratings.fitting.uncertainty import ratings_of, strengths


def rate(columns: Columns, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches."""
    seen = evidence(columns)
    cell, where = _cells(seen)
    draws = _draws(seen, cell, len(where), refits, np.random.default_rng(abs(seed)))
    bot = where // max(1, len(seen.places))
    overall = np.zeros((len(seen.bots), draws.shape[1]))
    np.add.at(overall, bot, draws)
    overall /= np.maximum(np.bincount(bot, minlength=len(seen.bots)), 1)[:, None]
    places = (divmod(at, len(seen.places)) for at in where.tolist())
    return ratings_of("points", seen, overall, dict(zip(places, strengths(draws), strict=True)), {})


def _cells(seen: Evidence) -> tuple[Ints, Ints]:
    """S x K: a number for each (bot, place), -1 for none; and which they are, as bot times places plus place."""
    code = np.where(seen.seats >= 0, seen.seats * len(seen.places) + seen.where, -1)
    where = np.unique(code[code >= 0])
    return np.where(code >= 0, np.searchsorted(where, code), -1), where


def _draws(seen: Evidence, cell: Ints, size: int, times: int, random: np.random.Generator) -> Floats:
    """Each cell's mean score, then as many draws of it."""
    if not size:
        return np.zeros((0, 1 + times))
    count = _by_cell(cell, np.broadcast_to(seen.matches[:, None], cell.shape), size)
    mean = _by_cell(cell, seen.scores, size) / count
    blocks = _by_cell(cell[seen.seating], np.ones(seen.part_scores.shape), size)
    noise, dispersion = _noise(seen, cell, count)
    extra = dispersion / (blocks + 2 * dispersion)
    center = (1 - 2 * extra) * mean + 100 * extra
    noise[np.diag_indices(size)] += (center**2 + (100 - center) ** 2) * extra / (blocks + 2 * dispersion)
    drawn = center[:, None] + np.linalg.cholesky(noise) @ random.standard_normal((size, times))
    return np.column_stack((mean, np.clip(drawn, 0, 100)))


def _by_cell(cell: Ints, values: Floats | Ints, size: int) -> Floats:
    used = cell >= 0
    return np.bincount(cell[used], weights=values[used], minlength=size).astype(np.float64)


def _noise(seen: Evidence, cell: Ints, count: Floats) -> tuple[Floats, Floats]:
    """The covariance of the cells' means over the blocks, and the dispersion of each cell's scores."""
    found = learn(model_of(seen))
    expected, dispersion = by_role(seen, found)
    at, size = seen.seating, len(count)
    surplus = seen.part_scores - 100 * seen.part_matches[:, None] * expected[at]
    share = np.where(cell[at] >= 0, surplus / count[cell[at]], 0.0)
    total = np.zeros(size * size)
    for one, other, times in seen.within_blocks():
        for mine in range(cell.shape[1]):
            for theirs in range(cell.shape[1]):
                where = np.maximum(cell[at[one], mine] * size + cell[at[other], theirs], 0)
                value = times * share[one, mine] * share[other, theirs]
                total += np.bincount(where, weights=value, minlength=size * size)
    square = inflation(seen, found) * total.reshape(size, size)
    kinds = _by_cell(cell, dispersion, size) / _by_cell(cell, np.ones(cell.shape), size)
    return (square + square.T) / 2, kinds
