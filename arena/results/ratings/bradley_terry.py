"""Bradley-Terry with roles: strengths in logits, the average bot at 0.

A bot that is stronger by 1 than the other side scores 73 where roles are even; by 2, 88; by 3, 95.
The overall strength is that of `fitting/overall.py`; those by board and role are of the model in
`fitting/model.py`. A bot that never won anything may be arbitrarily weak, so its interval is open
below.
"""

# The average bot is that of all bots that played. It was that of the bots with closed intervals,
# and then a win could lower a rating: a first defeat closes an interval, and the average bot rose.
# A bot far away counts as no farther than FAR_LOGITS, so that a hopeless bot moves the others by
# little.

from dataclasses import replace

import numpy as np

from arena.results.arrays import Arrays, Floats, rounded
from arena.results.ratings import REFITS, Ratings, Strength
from arena.results.ratings.fitting.bootstrap import bootstrap
from arena.results.ratings.fitting.comparable import bounds, ends, groups
from arena.results.ratings.fitting.estimate_priors import estimate
from arena.results.ratings.fitting.fit import Fit
from arena.results.ratings.fitting.intervals import Cells, ratings_of, strengths
from arena.results.ratings.fitting.match_totals import MatchTotals, add_up
from arena.results.ratings.fitting.model import Model, model_of
from arena.results.ratings.fitting.outsiders import stretched
from arena.results.ratings.fitting.overall import estimate_overall

FAR_LOGITS = 2.0
"""Distance from the average bot beyond which a bot counts as this far away."""
INFINITE_LOGITS = 12.0
"""A difference beyond this has no finite answer: so strong a bot loses one match in 160,000."""


def rate(
    arrays: Arrays,
    *,
    seed: int = 0,
    refits: int = REFITS,
    prior: bool = True,
) -> Ratings:
    """Rate all bots of these matches; a bot's strength is that in all boards and roles.

    Without a `prior` no rating is drawn towards the average; where this has no finite answer, the
    ratings have the prior, and a warning says so.
    """
    totals = add_up(arrays)
    random = np.random.default_rng(abs(seed))
    model = model_of(totals)
    by_role = estimate(model)
    refitted = bootstrap(totals, by_role, refits, random)
    resamples = np.column_stack((by_role.unknowns, refitted))  # P x (1 + refits)

    fitted, is_plain = _overall(totals, prior)
    refitted = bootstrap(totals, fitted, refits, random)
    overall = np.column_stack((fitted.unknowns, refitted))
    first_bot = len(fitted.model.advantages)
    overall = overall[first_bot:]  # N x (1 + refits)
    if len(totals.bots):
        overall -= center(overall)
        overall = stretched(fitted, overall)
    errors = _unplayed_errors(totals, by_role)  # N
    noise = random.standard_normal(overall[:, 1:].shape)
    overall[:, 1:] += errors[:, None] * noise

    # The strengths by role; the average bot of each board role is at 0.
    rows = resamples[len(model.advantages) :]
    board_roles = len(totals.board_roles)
    average = np.zeros((board_roles, rows.shape[1]))  # the average bot of each board role
    bots = np.bincount(model.board_role, minlength=board_roles)
    for board_role in np.flatnonzero(bots):
        is_there = model.board_role == board_role
        average[board_role] = center(rows[is_there])
    # The only bot of a board role would be at 0 for sure, measured by itself.
    has_several = bots[:, None] > 1
    subtracted = np.where(has_several, average, 0.0)
    centered = rows - subtracted[model.board_role]
    cells = Cells(
        bot=model.bot,
        board_role=model.board_role,
        rows=centered,
        is_relative=True,
    )
    ratings = ratings_of(
        "logits",
        totals,
        rounded(overall),
        cells,
        _advantages(model, totals, average, resamples),
        bounds(totals),
        ends(totals),
    )
    return replace(ratings, has_plain_fit=is_plain)


def center(strength: Floats) -> Floats:
    """Return the average bot of each column; bots far from it count as FAR_LOGITS away."""
    # Newton's method, held between bounds that come closer.
    low = strength.min(axis=0)
    high = strength.max(axis=0)
    middle = strength.mean(axis=0)
    for _ in range(100):
        distance = strength - middle
        counted = np.clip(distance, -FAR_LOGITS, FAR_LOGITS)
        surplus = counted.mean(axis=0)
        largest = np.abs(surplus).max()
        if largest < 1e-12:
            break
        low = np.where(surplus > 0, middle, low)
        high = np.where(surplus < 0, middle, high)

        is_near = np.abs(distance) < FAR_LOGITS
        near = is_near.mean(axis=0)
        step = surplus / np.maximum(near, 1e-3)
        next_middle = middle + step
        is_inside = (next_middle > low) & (next_middle < high)
        halfway = (low + high) / 2
        middle = np.where(is_inside, next_middle, halfway)
    return np.asarray(middle)


def _overall(totals: MatchTotals, prior: bool) -> tuple[Fit, bool]:
    """Return the fit of the overall strengths, and whether it is the one that was asked for."""
    if prior:
        return estimate_overall(totals), True
    fitted = estimate_overall(totals, prior=False)
    with_average = np.append(fitted.unknowns, 0.0)
    width = np.ptp(with_average)
    is_finite = bool(width < INFINITE_LOGITS)
    if is_finite and len(groups(totals)) < 2:
        return fitted, True
    return estimate_overall(totals), False


def _unplayed_errors(totals: MatchTotals, by_role: Fit) -> Floats:
    """Return by bot the standard error of its strength that unplayed board roles cause.

    The mean over the board roles that it played stands for the mean over all.
    """
    bot = by_role.model.bot
    bots = len(totals.bots)
    board_roles = len(totals.board_roles)
    played = np.bincount(bot, minlength=bots)  # N: the number of its board roles
    of_played = 1 / np.maximum(played, 1)
    of_all = 1 / max(1, board_roles)
    missing = of_played - of_all
    return np.asarray(by_role.spread.roles * np.sqrt(missing))


def _advantages(
    model: Model,
    totals: MatchTotals,
    average: Floats,
    resamples: Floats,
) -> dict[int, Strength]:
    """Return the advantage of each board role when average bots meet; `average` are those bots."""
    count = len(model.advantages)
    rows = []
    for advantage in range(count):
        is_scored = model.unknown[:, 0] == advantage
        score = int(np.argmax(is_scored))
        factor = model.factor[score]
        used = np.flatnonzero(factor[1:]) + 1
        strength = model.unknown[score, used] - count
        board_roles = model.board_role[strength]
        met = factor[used] @ average[board_roles]
        row = resamples[advantage] + met
        rows.append(row)
    figures = np.array(rows).reshape(count, resamples.shape[1])
    scored_roles = model.advantages.tolist()
    advantages = dict(zip(scored_roles, strengths(figures), strict=True))

    # The second side of a zero-sum board has no score in the model: its advantage is that of the
    # first side, negated.
    for label in totals.opposed:
        first_role: dict[int, int] = {}  # by side: its first board role
        for index, board_role in enumerate(totals.board_roles):
            if board_role.label == label:
                first_role.setdefault(board_role.side, index)
        first = first_role[min(first_role)]
        second = first_role[max(first_role)]
        value, low, high = advantages[first]
        # 0.0 - value, because -value may be -0.0.
        advantages[second] = Strength(
            value=0.0 - value,
            low=0.0 - high,
            high=0.0 - low,
        )
    return advantages
