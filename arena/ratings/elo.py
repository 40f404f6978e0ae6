"""Elo: the fit of `bradley_terry` on the scale that people know, the average bot at 1500.

400 points are ten to one (Elo, The Rating of Chessplayers, 1978). No K, no order of matches: one fit of all records.
"""

from math import log

from arena.ratings import REFITS, Ratings, bradley_terry
from arena.ratings.fitting.columns import Columns

SCALE = 400 / log(10)
AVERAGE = 1500.0


def rate(columns: Columns, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches."""
    return bradley_terry.rate(columns, seed=seed, refits=refits).scaled("Elo", SCALE, AVERAGE)
