"""Elo: the fit of `bradley_terry` on the familiar scale, the average bot at 1500.

A difference of 400 points is ten to one (Elo, The Rating of Chessplayers, 1978). There is no K
factor and no order of matches: it is one fit of all records.
"""

from math import log

from arena.results.arrays import Arrays
from arena.results.ratings import REFITS, Ratings, Strength, bradley_terry

POINTS_PER_LOGIT = 400 / log(10)
AVERAGE_POINTS = 1500.0


def shown(fitted: Ratings) -> Ratings:
    """Return ratings in logits as Elo points: all that is shown or written has these."""
    return fitted.scaled("Elo", POINTS_PER_LOGIT, AVERAGE_POINTS)


def logits(strength: Strength) -> Strength:
    """Return a strength in Elo points as one in logits, the average bot at 0."""
    return strength.scaled(1 / POINTS_PER_LOGIT, -AVERAGE_POINTS / POINTS_PER_LOGIT)


def rate(
    arrays: Arrays,
    *,
    seed: int = 0,
    refits: int = REFITS,
    prior: bool = True,
) -> Ratings:
    """Rate all bots of these matches."""
    fitted = bradley_terry.rate(
        arrays,
        seed=seed,
        refits=refits,
        prior=prior,
    )
    return shown(fitted)
