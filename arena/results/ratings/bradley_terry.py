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
    random = np.random.default_rng(abs(seed))
    refitted = bootstrap(totals, fitted, refits, random)  # P x refits
    resamples = np.column_stack((fitted.unknowns, refitted))

    # The mean of each bot over all board roles: N x (1 + refits).
    bots = len(totals.bots)
    board_roles = len(totals.board_roles)
    means = overall_means(model, fitted.spread, bots, board_roles)  # N x P
    overall = rounded(means @ resamples)
    errors = unplayed_errors(model, fitted.spread, bots, board_roles)  # N
    noise = random.standard_normal((bots, refitted.shape[1]))
    overall[:, 1:] += errors[:, None] * noise

    # The bots that matches bound on both sides are the centre of the scale.
    closed = ends(totals)
    below, above = closed
    middle = several(below & above)
    if model.size:
        overall -= overall[middle].mean(axis=0, keepdims=True)
    strength_rows = resamples[len(model.advantages) :]
    cells = Cells(bot=model.bot, board_role=model.board_role, rows=strength_rows, middle=middle)
    advantages = _advantages(model, totals, middle, resamples)
    return ratings_of("logits", totals, overall, cells, advantages, bounds(totals), closed)


def _advantages(
    model: Model, totals: MatchTotals, middle: Mask, resamples: Floats
) -> dict[int, Strength]:
    """Return the advantage of each board role when average bots meet."""
    count = len(model.advantages)
    average = _average_bots(model, middle, resamples[count:], len(totals.board_roles))
    rows = []
    for advantage in range(count):
        score = int(np.argmax(model.unknown[:, 0] == advantage))
        used = np.flatnonzero(model.factor[score, 1:]) + 1
        strength = model.unknown[score, used] - count
        board_roles = model.board_role[strength]
        met = model.factor[score, used] @ average[board_roles]
        rows.append(resamples[advantage] + met)
    figures = np.array(rows).reshape(count, resamples.shape[1])
    advantages = dict(zip(model.advantages.tolist(), strengths(figures), strict=True))

    # The second side of a zero-sum board has no score in the model: its advantage is that of the
    # first side, negated.
    for label in totals.opposed:
        first_role: dict[int, int] = {}  # by side: its first board role
        for index, board_role in enumerate(totals.board_roles):
            if board_role.label == label:
                first_role.setdefault(board_role.side, index)
        value, low, high = advantages[first_role[min(first_role)]]
        # 0.0 - value, because -value may be -0.0.
        negated = Strength(0.0 - value, 0.0 - high, 0.0 - low)
        advantages[first_role[max(first_role)]] = negated
    return advantages


def _average_bots(model: Model, middle: Mask, strength_rows: Floats, size: int) -> Floats:
    """Return the strength of the average bot of each board role, with its resamples.

    It is the mean of the bots of the middle, or of all bots where none of these played the role.
    """
    in_middle = middle[model.bot]  # by strength
    middle_counts = np.bincount(model.board_role[in_middle], minlength=size)
    without_middle = middle_counts == 0  # by board role
    counts = in_middle | without_middle[model.board_role]
    board_role = model.board_role[counts]
    total = np.zeros((size, strength_rows.shape[1]))
    np.add.at(total, board_role, strength_rows[counts])
    bots = np.bincount(board_role, minlength=size)
    return total / np.maximum(bots, 1)[:, None]
