"""Alpha-rank: the time that a population spends with each bot, in per cent.

The population keeps changing to better bots. The rating needs no order of strength: where A beats
B, B beats C and C beats A, the three share the time. Where there is an order, the best bot has it
all; the others have 0, and their points decide (Omidshafiei and others, "alpha-Rank: Multi-Agent
Evaluation by Evolution", 2019).
"""

import numpy as np

from arena.results.arrays import Arrays, Floats, rounded
from arena.results.ratings import REFITS, Ratings
from arena.results.ratings.fitting.intervals import Cells, ratings_of
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.payoffs import payoffs_of

POPULATION = 50
INTENSITY = 0.6
"""Of the selection: a bot that takes 55 of 100 points from another is preferred to it 19 to 1. With
much more the least lead would be worth as much as a sweeping one."""


def rate(arrays: Arrays, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches.

    No board and no role has a figure of its own: nobody meets itself in a role.
    """
    totals = add_up(arrays)
    payoffs = payoffs_of(totals)
    random = np.random.default_rng(abs(seed))
    mean = payoffs.mean[None]  # 1 x N x N
    figures = masses(mean)  # 1 x N
    resamples = payoffs.samples(masses, refits, random)  # refits x N
    all_figures = np.concatenate([figures, resamples])  # (1 + refits) x N
    by_bot = all_figures.T  # N x (1 + refits)
    rows = 100 * by_bot

    nothing = np.zeros(0, dtype=np.int64)
    no_rows = np.zeros((0, rows.shape[1]))
    cells = Cells(bot=nothing, board_role=nothing, rows=no_rows)
    return ratings_of("%", totals, rows, cells)  # all figures are between 0 and 100


def masses(payoffs: Floats) -> Floats:
    """Return T x N: the part of the time that the population spends with each bot, 0 to 1.

    `payoffs` are T x N x N. A population plays one bot; now and then another bot enters, which
    takes over with the probability of a Moran process in which both play each other.
    """
    size = payoffs.shape[1]
    # The lead of the bot that enters, in the column.
    of_columns = payoffs.transpose(0, 2, 1)
    lead = INTENSITY * (of_columns - payoffs)
    is_even = lead == 0
    with np.errstate(invalid="ignore"):
        takes_over = np.expm1(-lead) / np.expm1(-POPULATION * lead)
        change = np.where(is_even, 1 / POPULATION, takes_over)  # T x N x N

    # The time with each bot follows by elimination (Grassmann, Taksar and Heyman, 1985), which
    # subtracts nothing, so that also a part of 1e-13 is exact, and alike on every CPU.
    for last in range(size - 1, 0, -1):
        leaving = change[:, last, :last]  # T x last
        all_leaving = leaving.sum(axis=1, keepdims=True)  # T x 1
        change[:, :last, last] /= all_leaving
        arriving = change[:, :last, last]  # T x last
        through_last = arriving[:, :, None] * leaving[:, None, :]  # T x last x last
        change[:, :last, :last] += through_last

    shape = payoffs.shape[:2]  # T x N
    time = np.ones(shape)
    for bot in range(1, size):
        time_before = time[:, :bot]  # T x bot
        arriving = time_before * change[:, :bot, bot]  # T x bot
        time[:, bot] = arriving.sum(axis=1)
    all_time = time.sum(axis=1, keepdims=True)  # T x 1
    return rounded(time / all_time)
