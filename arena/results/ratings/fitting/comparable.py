"""The bounds that matches set to strengths.

A bot without a win may be arbitrarily weak, and a bot without a loss arbitrarily strong.

A score above 0 against an opponent bounds a bot from below, relative to that opponent; a score
below 100 bounds it from above; and bounds are transitive. These are the conditions under which a
Bradley-Terry model has a finite answer at all (Ford, 1957, "Solution of a ranking problem from
binary comparisons"). Where they fail, the prior alone keeps an estimate finite, and its interval
there is open.
"""

import numpy as np

from arena.results.arrays import Ints, Mask
from arena.results.ratings.fitting.match_totals import MatchTotals


def bounds(totals: MatchTotals) -> Mask:
    """Return N x N: True where matches bound the strength of the row's bot from below.

    The bound is relative to the strength of the column's bot.
    """
    count = len(totals.bots)
    direct = _direct(totals)
    reached = _closure(direct)
    return reached[:count, :count]


def ends(totals: MatchTotals) -> tuple[Mask, Mask]:
    """Return for each bot whether its strength is bounded from below, and whether from above.

    The bounds are relative to the other bots of its group. Bots that bound each other are a body.
    Where a body has most bots of the group, the others are measured by it, even if many of them
    took points off each other only. Where there is no such body, as where the better bot always
    wins, a bot is bounded by any bot outside its body. If there is only one bot, nothing bounds it,
    so it is open.
    """
    count = len(totals.bots)
    direct = _direct(totals)
    reaching = _closure(direct)
    linked = _closure(direct | direct.T)
    linked_bots = linked[:count, :count]  # N x N
    same_body = reaching & reaching.T
    same_body_bots = same_body[:count, :count]  # N x N
    body_size = same_body_bots.sum(axis=1)
    group_size = linked_bots.sum(axis=1)
    is_main = 2 * body_size > group_size  # N: whether the bot is in the body of most bots
    linked_to_main = linked_bots & is_main
    measured = linked_to_main.any(axis=1)
    itself = np.eye(len(linked), dtype=np.bool_)
    linked_to_others = linked & ~itself
    has_links = linked_to_others[:count].any(axis=1)
    alone = ~has_links

    def bounded(reach: Mask) -> Mask:
        of_bots = reach[:count, :count]
        reaching_main = of_bots & is_main
        by_main = reaching_main.any(axis=1)
        outside = reach & ~same_body
        by_others = outside[:count].any(axis=1)
        by_matches = np.where(measured, by_main, by_others)
        is_bounded = np.asarray(by_matches | alone)
        return is_bounded & (count > 1)

    return bounded(reaching), bounded(reaching.T)


def groups(totals: MatchTotals) -> tuple[tuple[str, ...], ...]:
    """Return the bots that are linked by matches, the largest group first.

    Bots of two groups can't be compared. A board for one bot alone links all bots that played it.
    """
    count = len(totals.bots)
    size = count + len(totals.board_roles)
    linked = np.eye(size, dtype=np.bool_)
    first_bot = totals.seats[:, 0]
    # The other bots of each seating; a bot alone has its board role as a partner.
    other_bots = totals.seats[:, 1:]
    alone = other_bots.max(axis=1, initial=-1) < 0
    board_role = count + totals.board_role[:, 0]
    board_role = np.where(alone, board_role, -1)
    partners = np.column_stack((board_role, other_bots))
    for partner in partners.T:
        met = partner >= 0
        bot = first_bot[met]
        linked[bot, partner[met]] = True
    reached = _closure(linked | linked.T)
    reached_bots = reached[:count, :count]
    rows: Mask = np.unique(reached_bots, axis=0)  # a row for each group

    named = []
    for row in rows:
        members = np.flatnonzero(row).tolist()
        names = [totals.bots[bot] for bot in members]
        named.append(tuple(names))
    named.sort(key=lambda group: (-len(group), group))
    return tuple(named)


def _direct(totals: MatchTotals) -> Mask:
    """Return (N + board roles)²: True where the row took points off the column.

    A board for one bot is an opponent.
    """
    count = len(totals.bots)
    side = totals.side
    roles = range(totals.seats.shape[1])
    size = count + len(totals.board_roles)
    direct = np.eye(size, dtype=np.bool_)
    is_missing = side < 0
    for role in roles:
        bot = totals.seats[:, role]
        own_side = side[:, role]
        board_role = totals.board_role[:, role]
        board = count + board_role
        played = board_role >= 0
        score = totals.scores[:, role]
        gained = score > 0
        most_points = 100 * totals.matches
        conceded = score != most_points
        is_mate = side == own_side[:, None]
        is_no_opponent = is_mate | is_missing  # S x K
        has_no_opponent = is_no_opponent.all(axis=1)
        alone = played & has_no_opponent
        _mark(direct, bot, board, alone & gained)
        _mark(direct, board, bot, alone & conceded)
        for opposing in roles:
            opponent = totals.seats[:, opposing]
            opposing_side = side[:, opposing]
            is_opposed = opposing_side != own_side
            meet = played & is_opposed & ~is_missing[:, opposing]
            _mark(direct, bot, opponent, meet & gained)
            _mark(direct, opponent, bot, meet & conceded)
    return direct


def _mark(
    direct: Mask,
    above: Ints,
    below: Ints,
    where: Mask,
) -> None:
    direct[above[where], below[where]] = True


def _closure(direct: Mask) -> Mask:
    """Return the pairs that are joined by any number of steps."""
    reached = direct
    while True:
        numbers = reached.astype(np.float32)
        ways = numbers @ numbers
        farther = ways > 0
        if (farther == reached).all():
            return reached
        reached = np.asarray(farther)
