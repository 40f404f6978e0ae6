"""Elo: the fit of `bradley_terry` on the familiar scale, the average bot at 1500.

A difference of 400 points is ten to one (Elo, The Rating of Chessplayers, 1978). There is no K factor and no order of
matches: it is one fit of all records.
"""

from math import log

from arena.results.arrays import Arrays
from arena.results.ratings import REFITS, Ratings, bradley_terry

POINTS_PER_LOGIT = 400 / log(10)
AVERAGE_POINTS = 1500.0


def rate(arrays: Arrays, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches."""
    return bradley_terry.rate(arrays, seed=seed, refits=refits).scaled("Elo", POINTS_PER_LOGIT, AVERAGE_POINTS)
