"""The model: which strengths meet in which score.

How they are estimated is the business of fit.py.
"""

# Theory of operation
# -------------------
#     logit(score / 100) = advantage(role on board) + strength(bot, role on board)
#                          - mean strength of the other side
#
# This is the paired comparison model of Zermelo (1929) and of Bradley and Terry (1952), with their
# "home" advantage (Agresti, Categorical Data Analysis, 11.6) for each role on each board. A score
# between 0 and 100 counts in between: the likelihood of winning with the score as a fraction (the
# quasi-likelihood of Papke and Wooldridge, 1996), whose variance estimate_priors.py finds from the
# scores themselves.
#
# With several roles a side, the strength of the side is the mean of its bots', as Huang, Weng and
# Lin (2006) rate teams. Each score must count once, whoever reports it:
# - A side whose roles always score alike (`MatchTotals.shared`) is one score, under its first role.
# - A side whose roles score for themselves has a score for each role, each with the share 1 / roles
#   of a match.
# - On a board where one side's score is always 100 minus the other's (`MatchTotals.opposed`), the
#   second side says nothing new and is left out. Where scores of the two sides are only correlated,
#   `Fit.overlap` weighs them down.

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.results.arrays import Floats, Ints
from arena.results.ratings.fitting.match_totals import MatchTotals


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """N scores that depend on P unknowns: first the advantages, then the strengths that occur."""

    unknown: Ints
    """N x K: the unknowns in a score; where there are fewer than K, 0 with the factor 0."""
    factor: Floats
    """N x K: the factor of each."""
    credit: Floats
    """N x K: how far the score counts for each unknown; in a likelihood it is the factor."""
    seating: Ints
    """N: the seating of the score."""
    role: Ints
    """N: the role that scored, as a column of the match totals."""
    share: Floats
    """N: the score's share of its side's score."""
    matches: Floats
    """N: number of matches of the seating, over how often the average match was copied."""
    copies: Floats
    """N: how often a match of the seating was copied, over how often the average match was."""
    mean: Floats
    """N: mean score, 0 to 1."""
    square: Floats
    """N: mean of the squared score."""
    opposing: Ints
    """N x K: the scores of the other sides in the same matches, or the score itself where there are
    none."""
    product: Floats
    """N x K: mean of the score times each of those."""
    advantages: Ints
    """A: the board role of each advantage; a side with one score has one advantage, under its first
    role."""
    bot: Ints
    """P - A: the bot of each strength."""
    board_role: Ints
    """P - A: the board role of each strength."""

    @property
    def size(self) -> int:
        """The number of unknowns, P."""
        return len(self.advantages) + len(self.bot)


def model_of(totals: MatchTotals) -> Model:
    """Return the scores of these matches, by seating and role; a side with one score has one."""
    depth = totals.seats.shape[1]
    seatings = [np.zeros(0, np.int64)]
    roles = [np.zeros(0, np.int64)]
    shares = [np.zeros(0)]
    factors = [np.zeros((0, depth))]
    boards, board = np.unique(totals.board_role, axis=0, return_inverse=True)
    for number, columns in enumerate(boards):
        played = np.flatnonzero(board == number)
        count = len(played)
        for column, share, by_role in _scores(totals, columns):
            seatings.append(played)
            roles.append(np.full(count, column))
            shares.append(np.full(count, share))
            factors.append(np.tile(by_role, (count, 1)))
    seating = np.concatenate(seatings)  # N
    role = np.concatenate(roles)  # N
    factor = np.concatenate(factors)  # N x K

    # The unknowns: an advantage for each board role, and a strength for each bot in a board role.
    scored_role = totals.board_role[seating, role]  # N
    advantages, advantage = np.unique(scored_role, return_inverse=True)
    bots = len(totals.bots)
    code = totals.board_role[seating] * bots + totals.seats[seating]  # N x K
    used = factor != 0  # N x K
    strengths, strength = np.unique(code[used], return_inverse=True)
    scores = len(seating)
    unknown = np.zeros((scores, depth + 1), dtype=np.int64)
    unknown[:, 0] = advantage
    unknown[:, 1:][used] = strength + len(advantages)

    # The scores of the other sides in the same matches.
    index = np.arange(scores)
    score_of_role = np.full(totals.seats.shape, -1)  # S x K: the index of a role's score
    score_of_role[seating, role] = index
    score = score_of_role[seating]  # N x K
    side = totals.side[seating]  # N x K
    own_side = side[index, role]  # N
    is_other_side = side != own_side[:, None]  # N x K
    is_opposing = (score >= 0) & is_other_side  # N x K
    itself = np.tile(index[:, None], depth)

    matches = totals.matches[seating]
    distinct_matches = matches / totals.copies
    most_points = 100.0 * matches
    most_squares = 10000.0 * matches
    products = totals.products[seating, role]  # N x K
    of_advantage = np.ones(scores)
    factor = np.column_stack((of_advantage, factor))
    bots = max(1, bots)
    return Model(
        unknown=unknown,
        factor=factor,
        credit=factor,
        seating=seating,
        role=role,
        share=np.concatenate(shares),
        matches=distinct_matches,
        copies=distinct_matches / totals.different[seating],
        mean=totals.scores[seating, role] / most_points,
        square=totals.products[seating, role, role] / most_squares,
        opposing=np.where(is_opposing, score, itself),
        product=products / most_squares[:, None],
        advantages=advantages,
        bot=strengths % bots,
        board_role=strengths // bots,
    )


def restricted(model: Model, bots: Ints) -> tuple[Model, Ints]:
    """Return the model of the scores of some bots, and which scores of the model these are.

    The strengths of all other bots are known. The bots, which ascend, become 0, 1, ...
    """
    last_of_model = model.bot.max(initial=-1)
    last_chosen = bots.max(initial=-1)
    last_bot = max(last_of_model, last_chosen)
    number = np.full(last_bot + 1, -1)
    number[bots] = np.arange(len(bots))
    new_bot = number[model.bot]  # P - A
    is_inside = new_bot >= 0  # P - A

    every_advantage = np.ones(len(model.advantages), dtype=np.bool_)
    is_unknown = np.concatenate((every_advantage, is_inside))  # P
    index = np.cumsum(is_unknown) - 1  # P
    has_factor = model.factor != 0  # N x K
    used = is_unknown[model.unknown] & has_factor  # N x K
    has_strength = used[:, 1:].any(axis=1)  # N
    score = np.flatnonzero(has_strength)

    # From here on N counts the scores of these bots only.
    used = used[score]
    unknown = index[model.unknown[score]]
    factor = model.factor[score]
    credit = model.credit[score]
    square = model.square[score]
    depth = model.opposing.shape[1]
    itself = np.arange(len(score))
    part = Model(
        unknown=np.where(used, unknown, 0),
        factor=np.where(used, factor, 0.0),
        credit=np.where(used, credit, 0.0),
        seating=model.seating[score],
        role=model.role[score],
        share=model.share[score],
        matches=model.matches[score],
        copies=model.copies[score],
        mean=model.mean[score],
        square=square,
        opposing=np.tile(itself[:, None], depth),
        product=np.tile(square[:, None], depth),
        advantages=model.advantages,
        bot=new_bot[is_inside],
        board_role=model.board_role[is_inside],
    )
    return part, score


def _scores(totals: MatchTotals, columns: Ints) -> Iterator[tuple[int, float, Floats]]:
    """Yield each score of a board: its role's column, its share of a match, and its factors.

    There is a factor for the strength of each role.
    """
    sides: dict[tuple[str, int], list[int]] = {}
    played = columns[columns >= 0]
    for column, board_role in enumerate(played):
        label, side, _ = totals.board_roles[board_role]
        roles = sides.setdefault((label, side), [])
        roles.append(column)

    # The factors where the role is on another side than the score.
    opponents = max(1, len(sides) - 1)
    against = np.zeros(len(columns))
    for roles in sides.values():
        against[roles] = -1 / (len(roles) * opponents)

    first_side = min((side for _, side in sides), default=0)
    for (label, side), roles in sides.items():
        if label in totals.opposed and side != first_side:
            continue  # its score says nothing new
        if (label, side) in totals.shared:
            scorers = [roles]
            share = 1.0
        else:
            scorers = [[role] for role in roles]
            share = 1 / len(roles)
        for scoring in scorers:
            factor = against.copy()
            factor[roles] = 0
            factor[scoring] = 1 / len(scoring)
            yield scoring[0], share, factor
