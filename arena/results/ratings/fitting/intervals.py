"""Intervals, ranks, chances and tiers, read from many resamples of the same figures.

This module makes a `Ratings` of resamples. The source of the resamples (refits, resampled means)
does not matter here.
"""

# How resamples become statements
# -------------------------------
# Each row has a figure and many resamples of it, and column d of all rows is one resample of the
# whole field. Therefore differences, ranks and chances are computed inside each resample and only
# then counted: bots that met often vary together, and an interval of each bot alone would hide
# that.
#
# - An interval of a strength is cut from its resamples at 2.5 and 97.5 %: of n resamples at number
#   (n + 1) / 40, which leaves out just that part on average. It is widened to hold the figure
#   itself, and open on the side where no match bounds the bot (comparable.py): there the
#   resamples show the prior only.
# - The interval of a rank is cut from the ranks that the bot has in each resample, rounded outwards
#   to whole ranks.
# - A tier ends where its best bot is above the next one in more than 97.5 % of the resamples.

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.game import Role
from arena.results.arrays import Floats, Ints, Mask
from arena.results.ratings import Ranked, Ranking, Rating, Ratings, Strength
from arena.results.ratings.fitting.comparable import groups
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
    is_relative: bool = False
    """True if figures compare bots, so that the only bot of a board role has an open interval."""


def ratings_of(
    unit: str,
    totals: MatchTotals,
    rows: Floats,
    cells: Cells,
    advantages: Mapping[int, Strength] = {},
    bounded: Mask | None = None,
    closed: tuple[Mask, Mask] | None = None,
) -> Ratings:
    """Return the ratings of all bots, from a row for each bot: its figure, then resamples of it.

    `bounded` and `closed` are the results of `bounds` and `ends` in comparable.py; None for a scale
    with two ends.
    """
    every_bot: Mask = np.ones(len(rows), dtype=np.bool_)
    if closed is None:
        closed = (every_bot, every_bot)
    if bounded is None:
        bounded = np.outer(every_bot, every_bot)
    values = np.round(rows[:, 0], DECIMALS)
    order = _best_first(values)
    resamples = rows[order, 1:]
    chances = better(resamples)
    rankings = tuple(_rankings(totals, cells, closed))

    below, above = closed
    ranks = ranks_of(values[order]).tolist()
    figures = strengths(rows[order], below[order], above[order])
    intervals = rank_intervals(resamples)
    tier = tiers(chances)
    matches = totals.played.tolist()
    by_role = _by_role(rankings)
    ratings = []
    for index, bot in enumerate(order):
        name = totals.bots[bot]
        rating = Rating(
            rank=ranks[index],
            bot=name,
            matches=matches[bot],
            strength=figures[index],
            ranks=_widened(intervals[index], ranks[index]),
            tier=tier[index],
            roles=by_role.get(name, {}),
        )
        ratings.append(rating)

    by_board_role = {}
    for index in sorted(advantages):
        board_role = totals.board_roles[index]
        by_board_role[board_role.label, board_role.role] = advantages[index]
    return Ratings(
        unit=unit,
        ratings=tuple(ratings),
        better=chances,
        resamples=resamples,
        bounded=bounded[np.ix_(order, order)],
        advantages=by_board_role,
        rankings=rankings,
        groups=groups(totals),
        repeated=totals.repeated,
    )


def _best_first(values: Floats) -> list[int]:
    """Return the rows of these values, the highest first, and equal ones as they stood."""
    return sorted(range(len(values)), key=lambda row: (-values[row], row))


def _widened(interval: tuple[int, int], rank: int) -> tuple[int, int]:
    """Return an interval of ranks that holds this rank, too."""
    best, worst = interval
    return min(rank, best), max(rank, worst)


def _by_role(rankings: Iterable[Ranking]) -> dict[str, dict[tuple[str, Role], Strength]]:
    """Return for each bot its strength in each board role that it played."""
    by_bot: dict[str, dict[tuple[str, Role], Strength]] = {}
    for ranking in rankings:
        if ranking.role is None:
            continue
        for row in ranking.rows:
            by_role = by_bot.setdefault(row.bot, {})
            by_role[ranking.board, ranking.role] = row.strength
    return by_bot


def _rankings(
    totals: MatchTotals,
    cells: Cells,
    closed: tuple[Mask, Mask],
) -> Iterator[Ranking]:
    """Yield for each board the ranking over all its roles, if there are several, then by role."""
    boards: dict[str, list[int]] = {}
    for index, board_role in enumerate(totals.board_roles):
        indices = boards.setdefault(board_role.label, [])
        indices.append(index)
    for label, indices in boards.items():
        if len(indices) > 1:
            rows = _ranked(totals, cells, closed, indices)
            yield Ranking(board=label, role=None, rows=rows)
        for index in indices:
            role = totals.board_roles[index].role
            rows = _ranked(totals, cells, closed, [index])
            yield Ranking(board=label, role=role, rows=rows)


def _ranked(
    totals: MatchTotals,
    cells: Cells,
    closed: tuple[Mask, Mask],
    board_roles: Sequence[int],
) -> tuple[Ranked, ...]:
    """Return the bots that played all these board roles, by their mean over them, best first."""
    is_used = np.isin(cells.board_role, board_roles)  # by cell
    bot_of_used = cells.bot[is_used]
    roles_played = np.bincount(bot_of_used, minlength=len(totals.bots))
    bots = np.flatnonzero(roles_played == len(board_roles))
    if not len(bots):
        return ()
    shape = (len(totals.bots), cells.rows.shape[1])
    total = np.zeros(shape)
    np.add.at(total, bot_of_used, cells.rows[is_used])
    rows = total[bots] / len(board_roles)
    below, above = closed
    below = below[bots]
    above = above[bots]
    if cells.is_relative and len(bots) == 1:
        below = np.zeros(1, dtype=np.bool_)
        above = below

    values = np.round(rows[:, 0], DECIMALS)
    order = _best_first(values)
    rows = rows[order]
    ranks = ranks_of(values[order]).tolist()
    figures = strengths(rows, below[order], above[order])
    intervals = rank_intervals(rows[:, 1:])
    ranked = []
    for index, bot in enumerate(bots[order].tolist()):
        row = Ranked(
            rank=ranks[index],
            bot=totals.bots[bot],
            strength=figures[index],
            ranks=_widened(intervals[index], ranks[index]),
        )
        ranked.append(row)
    return tuple(ranked)


def among(ratings: Ratings, bots: Collection[str]) -> dict[str, tuple[tuple[int, int], int]]:
    """Return the interval of ranks and the tier of these bots, as if no other bot had played."""
    rows = []
    names = []
    for row, rating in enumerate(ratings.ratings):
        if rating.bot in bots:
            rows.append(row)
            names.append(rating.bot)
    resamples = ratings.resamples[rows]
    intervals = rank_intervals(resamples)
    chances = ratings.better[np.ix_(rows, rows)]
    tiers_among = tiers(chances)
    figures = zip(intervals, tiers_among, strict=True)
    return dict(zip(names, figures, strict=True))


def strengths(
    rows: Floats,
    below: Mask | None = None,
    above: Mask | None = None,
) -> list[Strength]:
    """Return the first figure of each row, with the interval of 95 % of its resamples.

    The resamples are the other figures of the row. The interval is open where the figure is not
    bounded `below`, or `above`.
    """
    if not len(rows):
        return []
    value = rows[:, 0]
    resamples = rows[:, 1:]
    tails = (TAIL, 1 - TAIL)
    low, high = np.quantile(resamples, tails, axis=1, method="weibull")
    low = np.minimum(value, low)
    high = np.maximum(value, high)
    if below is not None:
        low = np.where(below, low, -np.inf)
    if above is not None:
        high = np.where(above, high, np.inf)
    figures = np.stack((value, low, high), axis=1)
    figures = np.round(figures, DECIMALS) + 0.0
    return [Strength(*row) for row in figures.tolist()]


def difference(ratings: Ratings, bot: str, opponent: str) -> Strength:
    """Return a bot's strength minus an opponent's, with the interval of that difference.

    Both must be rated. The interval is open where no match bounds the difference, directly or
    through other bots.
    """
    index = {rating.bot: number for number, rating in enumerate(ratings.ratings)}
    row = index[bot]
    column = index[opponent]
    strength = ratings.ratings[row].strength
    opponents_strength = ratings.ratings[column].strength
    value = strength.value - opponents_strength.value
    resamples = ratings.resamples[row] - ratings.resamples[column]
    figures = np.concatenate(([value], resamples))
    rows = figures[None]  # one row
    below = ratings.bounded[[row], [column]]
    above = ratings.bounded[[column], [row]]
    return strengths(rows, below, above)[0]


def better(resamples: Floats) -> Floats:
    """Return N x N: the share of the resamples in which the row's bot is above the column's.

    A tie counts half.
    """
    size = len(resamples)
    above = np.zeros((size, size))
    for row in range(size):
        is_above = resamples[row] > resamples
        above[row] = is_above.mean(axis=1)
    doubled = 1 + above - above.T
    return np.asarray(0.5 * doubled)


def rank_intervals(resamples: Floats) -> list[tuple[int, int]]:
    """Return the best and worst rank of each bot that 95 % of the resamples leave open."""
    if not len(resamples):
        return []
    ranks = ranks_of(resamples)
    best = np.quantile(ranks, TAIL, axis=1, method="lower")
    best_ranks = best.astype(int).tolist()
    worst = np.quantile(ranks, 1 - TAIL, axis=1, method="higher")
    worst_ranks = worst.astype(int).tolist()
    intervals = zip(best_ranks, worst_ranks, strict=True)
    return list(intervals)


def ranks_of(values: Floats) -> Ints:
    """Return each bot's rank, 1 for the highest; equal values share a rank.

    Values may have a column for each resample.
    """
    order = np.argsort(-values, axis=0)
    descending = np.take_along_axis(values, order, axis=0)
    above = descending[:-1]
    is_lower = np.zeros(values.shape, dtype=np.bool_)
    is_lower[1:] = descending[1:] < above
    position = np.arange(len(values))
    if values.ndim > 1:
        position = position[:, None]
    # Each bot has the position of the first of those that are equal to it.
    lower_position = np.where(is_lower, position, 0)
    first_position = np.maximum.accumulate(lower_position, axis=0)
    rank = 1 + first_position
    ranks = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, rank, axis=0)
    return ranks


def tiers(chances: Floats) -> list[int]:
    """Return a tier for each bot, best first.

    A new tier begins where the tier's best bot is better in more than 97.5 % of the resamples. Then
    the 95 % interval of the difference between these two bots does not hold 0.
    """
    tiers: list[int] = []
    tier = 1
    best = 0
    for bot in range(len(chances)):
        if chances[best, bot] > 1 - TAIL:
            best = bot
            tier += 1
        tiers.append(tier)
    return tiers
