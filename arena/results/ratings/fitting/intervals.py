"""Intervals, ranks, chances and tiers, read from many resamples of the same figures.

This module makes a `Ratings` of resamples. The source of the resamples (refits, resampled means)
does not matter here.
"""

# How resamples become statements --------------------------- Each row has a figure and many
# resamples of it, and column d of all rows is one resample of the whole field. Therefore
# differences, ranks and chances are computed inside each resample and only then counted: bots that
# met often vary together, and an interval of each bot alone would hide that.
#
# - An interval of a strength is cut from its resamples at 2.5 and 97.5 %, widened to hold the
#   figure itself, and open on the side where no match bounds the bot (comparable.py): there the
#   resamples show the prior only.
# - The interval of a rank is cut from the ranks that the bot has in each resample, rounded outwards
#   to whole ranks.
# - A tier ends where its best bot is above the next one in more than 97.5 % of the resamples.

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.results.arrays import Floats, Ints, Mask
from arena.results.ratings import Ranked, Ranking, Rating, Ratings, Strength
from arena.results.ratings.fitting.comparable import groups, several
from arena.results.ratings.fitting.match_totals import MatchTotals

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
DECIMALS = 9
"""Figures are rounded to this, and equal ones share a rank: digits beyond may differ from CPU to
CPU."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """The strengths of bots by board role: a row for each bot and board role that it played."""

    bot: Ints
    board_role: Ints
    rows: Floats
    """The figure, then resamples of it."""
    middle: Mask | None
    """The bots whose mean is 0 in each board role; None where figures have a zero of their own."""


def ratings_of(
    unit: str,
    totals: MatchTotals,
    rows: Floats,
    cells: Cells,
    advantages: Mapping[int, Strength] = {},
    bounded: Mask | None = None,
    closed: tuple[Mask, Mask] | None = None,
) -> Ratings:
    """Return the ratings of all bots, from a row a bot: its figure, then resamples of it.

    `bounded` and `closed` are the results of `bounds` and `ends` in comparable.py; None for a scale
    with two ends.
    """
    every: Mask = np.ones(len(rows), dtype=np.bool_)
    closed = closed or (every, every)
    bounded = np.outer(every, every) if bounded is None else bounded
    values, played = np.round(rows[:, 0], DECIMALS), totals.played
    order = sorted(range(len(rows)), key=lambda bot: (-values[bot], bot))
    chances = better(rows[order, 1:])
    board_roles = [(role.label, role.role) for role in totals.board_roles]
    rankings = tuple(_rankings(totals, cells, closed))
    roles = {
        (row.bot, (ranking.board, ranking.role)): row.strength
        for ranking in rankings
        if ranking.role is not None
        for row in ranking.rows
    }
    columns = zip(
        order,
        ranks_of(values[order]).tolist(),
        strengths(rows[order], *(side[order] for side in closed)),
        rank_intervals(rows[order, 1:]),
        tiers(chances),
        strict=True,
    )
    ratings = (
        Rating(
            rank=rank,
            bot=totals.bots[bot],
            matches=int(played[bot]),
            strength=strength,
            ranks=(min(rank, best), max(rank, worst)),
            tier=tier,
            roles={
                key: roles[totals.bots[bot], key]
                for key in board_roles
                if (totals.bots[bot], key) in roles
            },
        )
        for bot, rank, strength, (best, worst), tier in columns
    )
    return Ratings(
        unit=unit,
        ratings=tuple(ratings),
        better=chances,
        resamples=rows[order, 1:],
        bounded=bounded[np.ix_(order, order)],
        advantages={board_roles[index]: strength for index, strength in sorted(advantages.items())},
        rankings=rankings,
        groups=groups(totals),
        repeated=totals.repeated,
    )


def _rankings(totals: MatchTotals, cells: Cells, closed: tuple[Mask, Mask]) -> Iterator[Ranking]:
    """Yield for each board a ranking of each role, after that over all roles if it has several."""
    boards: dict[str, list[int]] = {}
    for index, role in enumerate(totals.board_roles):
        boards.setdefault(role.label, []).append(index)
    for label, indices in boards.items():
        if len(indices) > 1:
            yield Ranking(board=label, role=None, rows=_ranked(totals, cells, closed, indices))
        for index in indices:
            rows = _ranked(totals, cells, closed, [index])
            yield Ranking(board=label, role=totals.board_roles[index].role, rows=rows)


def _ranked(
    totals: MatchTotals, cells: Cells, closed: tuple[Mask, Mask], board_roles: Sequence[int]
) -> tuple[Ranked, ...]:
    """Return the bots that played all these board roles, by their mean over them, best first."""
    here = np.isin(cells.board_role, board_roles)
    times = np.bincount(cells.bot[here], minlength=len(totals.bots))
    bots = np.flatnonzero(times == len(board_roles))
    if not len(bots):
        return ()
    total = np.zeros((len(totals.bots), cells.rows.shape[1]))
    np.add.at(total, cells.bot[here], cells.rows[here])
    rows = total[bots] / len(board_roles)
    if cells.middle is not None:
        rows = rows - rows[several(cells.middle[bots])].mean(axis=0, keepdims=True)
        closed = (
            closed[0] & (len(bots) > 1),
            closed[1] & (len(bots) > 1),
        )  # the only bot is compared with nobody
    values = np.round(rows[:, 0], DECIMALS)
    order = sorted(range(len(bots)), key=lambda row: (-values[row], bots[row]))
    bots, rows = bots[order], rows[order]
    columns = zip(
        ranks_of(values[order]).tolist(),
        bots.tolist(),
        strengths(rows, closed[0][bots], closed[1][bots]),
        rank_intervals(rows[:, 1:]),
        strict=True,
    )
    return tuple(
        Ranked(rank, totals.bots[bot], strength, (min(rank, best), max(rank, worst)))
        for rank, bot, strength, (best, worst) in columns
    )


def among(ratings: Ratings, bots: Collection[str]) -> dict[str, tuple[tuple[int, int], int]]:
    """Return the interval of ranks and the tier of these bots, as if no other bot had played."""
    rows = [row for row, rating in enumerate(ratings.ratings) if rating.bot in bots]
    intervals, tier = (
        rank_intervals(ratings.resamples[rows]),
        tiers(ratings.better[np.ix_(rows, rows)]),
    )
    return {
        ratings.ratings[row].bot: (intervals[index], tier[index]) for index, row in enumerate(rows)
    }


def strengths(rows: Floats, below: Mask | None = None, above: Mask | None = None) -> list[Strength]:
    """Return the first figure of each row, with the interval of 95 % of its resamples.

    The resamples are the other figures of the row. The interval is open where the figure is not
    bounded `below`, or `above`.
    """
    low, high = (
        np.quantile(rows[:, 1:], (TAIL, 1 - TAIL), axis=1) if len(rows) else np.zeros((2, 0))
    )
    low, high = np.minimum(rows[:, 0], low), np.maximum(rows[:, 0], high)
    low = low if below is None else np.where(below, low, -np.inf)
    high = high if above is None else np.where(above, high, np.inf)
    figures = np.round(np.stack((rows[:, 0], low, high), axis=1), DECIMALS) + 0.0
    return [Strength(*row) for row in figures.tolist()]


def difference(ratings: Ratings, bot: str, opponent: str) -> Strength:
    """Return a bot's strength minus an opponent's, with the interval of that difference.

    Both must be rated.
    The interval is open where no match bounds the difference, directly or through other bots.
    """
    index = {rating.bot: number for number, rating in enumerate(ratings.ratings)}
    row, column = index[bot], index[opponent]
    value = ratings.ratings[row].strength.value - ratings.ratings[column].strength.value
    figures = np.concatenate(([value], ratings.resamples[row] - ratings.resamples[column]))[None]
    return strengths(figures, ratings.bounded[[row], [column]], ratings.bounded[[column], [row]])[0]


def better(resamples: Floats) -> Floats:
    """Return N x N: the share of the resamples in which the row's bot is above the column's.

    A tie counts half.
    """
    above = np.array([(row > resamples).mean(axis=1) for row in resamples]).reshape(
        len(resamples), len(resamples)
    )
    return np.asarray(0.5 * (1 + above - above.T))


def rank_intervals(resamples: Floats) -> list[tuple[int, int]]:
    """Return the best and worst rank of each bot that 95 % of the resamples leave open."""
    ranks = ranks_of(resamples)
    best = np.quantile(ranks, TAIL, axis=1, method="lower") if len(resamples) else ranks
    worst = np.quantile(ranks, 1 - TAIL, axis=1, method="higher") if len(resamples) else ranks
    return list(zip(best.astype(int).tolist(), worst.astype(int).tolist(), strict=True))


def ranks_of(values: Floats) -> Ints:
    """Return each bot's rank, 1 for the highest; equal values share a rank.

    Values may have a column a resample.
    """
    return np.array([1 + (row < values).sum(axis=0) for row in values], dtype=np.int64).reshape(
        values.shape
    )


def tiers(chances: Floats) -> list[int]:
    """Return a tier for each bot, best first.

    A new tier begins where the tier's best bot is better in more than 97.5 % of the resamples. Then
    the 95 % interval of the difference between these two bots does not hold 0.
    """
    tier: list[int] = []
    best = 0
    for bot in range(len(chances)):
        if chances[best, bot] > 1 - TAIL:
            best = bot
        tier.append(tier[-1] + (best == bot) if tier else 1)
    return tier
