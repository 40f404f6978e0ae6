"""Bradley-Terry with roles: strengths in logits, the average bot at 0.

The model is described in `fitting/model.py`. A bot that is stronger by 1 than the other side scores
73 where roles are even; by 2, 88; by 3, 95. The average is over the bots that the matches bound on
both sides. A bot that never won anything may be arbitrarily weak, so it moves no other bot's
rating, and its interval is open below.
"""

import numpy as np

from arena.results.arrays import Arrays, Floats, Mask, rounded
from arena.results.ratings import REFITS, Ratings, Strength
from arena.results.ratings.fitting.bootstrap import bootstrap
from arena.results.ratings.fitting.comparable import bounds, ends, several
from arena.results.ratings.fitting.estimate_priors import estimate
from arena.results.ratings.fitting.intervals import Cells, ratings_of, strengths
from arena.results.ratings.fitting.match_totals import MatchTotals, add_up
from arena.results.ratings.fitting.model import Model, model_of
from arena.results.ratings.fitting.prior import overall_means, unplayed_errors


def rate(arrays: Arrays, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches; a bot's strength is the mean over every board and role."""
    totals = add_up(arrays)
    model = model_of(totals)
    fitted = estimate(model)
    random, size = np.random.default_rng(abs(seed)), (len(totals.bots), len(totals.board_roles))
    resamples = np.column_stack((fitted.unknowns, bootstrap(totals, fitted, refits, random)))
    overall = rounded(overall_means(model, fitted.spread, *size) @ resamples)
    errors = unplayed_errors(model, fitted.spread, *size)[:, None]
    overall[:, 1:] += errors * random.standard_normal((len(errors), resamples.shape[1] - 1))
    closed = ends(totals)
    middle = several(closed[0] & closed[1])  # the bots whose mean is the centre of the scale
    overall -= overall[middle].mean(axis=0, keepdims=True) if model.size else 0
    cells = Cells(
        bot=model.bot,
        board_role=model.board_role,
        rows=resamples[len(model.advantages) :],
        middle=middle,
    )
    return ratings_of(
        "logits",
        totals,
        overall,
        cells,
        _advantages(model, totals, middle, resamples),
        bounds(totals),
        closed,
    )


def _advantages(
    model: Model, totals: MatchTotals, middle: Mask, resamples: Floats
) -> dict[int, Strength]:
    """Return the advantage of each board role when average bots meet."""
    # The average bot of a board role: the mean of the bots of the middle, or of all bots where none
    # of these played it.
    size, count = len(totals.board_roles), len(model.advantages)
    absent = np.bincount(model.board_role[middle[model.bot]], minlength=size) == 0
    counts = middle[model.bot] | absent[model.board_role]
    total = np.zeros((size, resamples.shape[1]))
    np.add.at(total, model.board_role[counts], resamples[count:][counts])
    average = total / np.maximum(np.bincount(model.board_role[counts], minlength=size), 1)[:, None]

    rows = []
    for advantage in range(count):
        score = int(np.argmax(model.unknown[:, 0] == advantage))
        used = np.flatnonzero(model.factor[score, 1:]) + 1
        board_roles = model.board_role[model.unknown[score, used] - count]
        rows.append(resamples[advantage] + model.factor[score, used] @ average[board_roles])
    values = strengths(np.array(rows).reshape(count, resamples.shape[1]))
    advantages = dict(zip(model.advantages.tolist(), values, strict=True))
    for label in (
        totals.opposed
    ):  # the second side has no score in the model: its advantage is the first one's, negated
        sides = {
            role.side: index
            for index, role in reversed([*enumerate(totals.board_roles)])
            if role.label == label
        }
        value, low, high = advantages[sides[min(sides)]]
        advantages[sides[max(sides)]] = Strength(
            0.0 - value, 0.0 - high, 0.0 - low
        )  # -value may be -0.0
    return advantages
