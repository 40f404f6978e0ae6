"""Points: the mean over (board, role) of a bot's mean score in it, 0 to 100, as in the standings; here with intervals.

Points hang on whom a bot met, so they compare bots well only where all met all. The intervals come from a block
bootstrap of the means, drawn from the normal distribution that it has, with one match won and one lost thrown in for
each role, so that a bot that always won is not thought to win for ever (Agresti and Coull, 1998, in spirit).
"""

import numpy as np

from arena.ratings import REFITS, Ratings
from arena.ratings.fitting.columns import Columns, Floats, Ints
from arena.ratings.fitting.evidence import Evidence, evidence
from arena.ratings.fitting.uncertainty import ratings_of, strengths


def rate(columns: Columns, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches."""
    seen = evidence(columns)
    cell, where = _cells(seen)
    draws = _draws(seen, cell, where, refits, np.random.default_rng(abs(seed)))
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


def _draws(seen: Evidence, cell: Ints, where: Ints, times: int, random: np.random.Generator) -> Floats:
    """Each cell's mean score, then as many draws of it."""
    size, used = len(where), cell >= 0
    matches = np.broadcast_to(seen.matches[:, None], cell.shape)
    count = np.bincount(cell[used], weights=matches[used], minlength=size)
    mean = np.bincount(cell[used], weights=seen.scores[used], minlength=size) / np.maximum(count, 1)
    mine = cell[seen.seating]
    there = mine >= 0
    blocks = np.bincount(mine[there], minlength=size)
    surplus = seen.part_scores - seen.part_matches[:, None] * mean[mine]
    share = np.where(there, surplus / np.maximum(count, 1)[mine], 0.0)
    center = (blocks * mean + 100) / (blocks + 2)
    noise = _covariance(seen, mine, share, size)
    noise[np.diag_indices(size)] += (center**2 + (100 - center) ** 2) / (blocks + 2) ** 2
    root = np.linalg.cholesky(noise) if size else noise
    drawn = center[:, None] + root @ random.standard_normal((size, times))
    return np.column_stack((mean, np.clip(drawn, 0, 100)))


def _covariance(seen: Evidence, cell: Ints, share: Floats, size: int) -> Floats:
    """The sum over the blocks of what they do to the means, times itself."""
    total = np.zeros(size * size)
    for one, other, times in seen.within_blocks():
        for mine in range(cell.shape[1]):
            for theirs in range(cell.shape[1]):
                at = np.maximum(cell[one, mine] * size + cell[other, theirs], 0)
                value = times * share[one, mine] * share[other, theirs]
                total += np.bincount(at, weights=value, minlength=size * size)
    square = total.reshape(size, size)
    return np.asarray((square + square.T) / 2)
