"""The fit of one strength for each bot: the ratings of the leaderboard."""

# Theory of operation
# -------------------
# The rating of a bot is the strength at which the model expects just the points that it has:
#
#     logit(score / 100) = advantage(role on board) + strength(side) - mean strength of the others
#
# For each bot the sum of its own scores, less what the model expects of them, is what the prior
# pulls. Where one side loses what the other wins, this is the likelihood equation of Bradley and
# Terry. Only own scores count, because points count only these.
#
# In a balanced round robin the order of these strengths is exactly that of points. Assume that A
# has more points than B, but not more strength. Both have met the same bots, and each other, in
# the same roles as often. So the model expects of A at most what it expects of B, and the prior
# pulls A at most as far. Then A has at most as many points as B, a contradiction. The proof needs
# three things:
#
# - Each match has its weight, be it a copy or not, and each board role the weight that it has in
#   points.
# - One number for all bots says how much the scores tell (`dispersion`). It may not differ by bot
#   or by role.
# - The pull of the prior rises with the strength. Student's distribution, whose pull falls far out,
#   breaks the order. The pull here is that of a pseudo-Huber function: as that of a normal
#   distribution near 0, and nearly constant far out, so that an outsider is not drawn in by much.
#
# Far out, the scores may pull more than this prior ever does. Where a role scores although its side
# loses, as when only who was at fault gets nothing, two opponents may both have all the points: the
# model expects half of them, however strong both are. Then no strength is the answer, and the prior
# is a normal distribution of the believed spread instead. Its pull grows without end.
#
# Without a prior the scores tell differences of strengths only. All bots could be stronger by any
# number, so their level (`Fit.level`) is held at 0. Otherwise it would have an error of some 10^4
# logits, and refits would be solved to a part of that.
#
# The spread of the prior is estimated as in estimate_priors.py. The dispersion is the scatter of
# the slopes, as the residuals show it, over what the information promises. It is below 1 for
# graded scores, and above 1 where the roles of a side report the same score.

from dataclasses import dataclass

import numpy as np

from arena.results.arrays import Floats, Ints, Mask, rounded
from arena.results.ratings.fitting.estimate_priors import (
    BELIEF_SCATTER,
    LEAST_DISPERSION,
    LEAST_FREE,
    SETTLED,
    STEPS,
    likeliest,
)
from arena.results.ratings.fitting.fit import CLOSE_LOGITS, LONGEST_LOGITS, Fit, chance, information
from arena.results.ratings.fitting.match_totals import MatchTotals
from arena.results.ratings.fitting.model import Model
from arena.results.ratings.fitting.prior import ADVANTAGE_LOGITS, Spread

FAR = 2.0
"""Spreads from 0 at which the pull of the prior is 0.7 of that of a normal distribution."""
NEWTON_STEPS = 100
NO_PRIOR_LOGITS = 1e4
"""Spread of the prior where none is wanted: it is too weak to change a digit that is shown."""


def overall_model(totals: MatchTotals) -> Model:
    """Return the scores of all roles by seating; the unknowns are advantages, then bots."""
    seats = totals.seats  # S x K
    depth = seats.shape[1]
    seating, role = np.nonzero(seats >= 0)
    seat_side = totals.side[seating]  # N x K
    seat_bot = seats[seating]  # N x K
    own_side = totals.side[seating, role]  # N
    is_own_side = seat_side == own_side[:, None]  # N x K
    played = seat_bot >= 0
    is_own = played & is_own_side
    is_other = played & ~is_own

    # A side whose roles never scored differently is as strong as the mean of its bots. On other
    # sides each role scores alone.
    is_shared = [(role.label, role.side) in totals.shared for role in totals.board_roles]
    is_shared.append(False)  # the last, which the index -1 finds
    board_role = totals.board_role[seating, role]  # N
    has_shared = np.array(is_shared)[board_role]  # N
    index = np.arange(len(seating))
    scorers = is_own & has_shared[:, None]  # N x K
    scorers[index, role] = True
    number_of_scorers = scorers.sum(axis=1, keepdims=True)
    own_factor = scorers / np.maximum(number_of_scorers, 1)

    mates = _mates(seat_side, played)  # N x K: the number of roles of each role's side
    last_side = totals.side.max(axis=1, initial=0)  # S
    sides = np.maximum(last_side + 1, 1)  # S
    opponents = np.maximum(sides[seating] - 1, 1)  # N
    other_factor = is_other / (mates * opponents[:, None])
    factor = own_factor - other_factor
    factor = np.where(played, factor, 0)
    credit = np.zeros(seat_bot.shape)
    credit[index, role] = 1

    # The unknowns: an advantage for each board role, then the bots.
    advantages, advantage = np.unique(board_role, return_inverse=True)
    unknown = np.where(played, seat_bot + len(advantages), 0)
    of_advantage = np.ones(len(seating))

    matches = totals.matches[seating].astype(np.float64)
    distinct_matches = matches / totals.copies
    most_points = 100 * matches
    most_squares = 10000 * matches
    products = totals.products[seating, role]  # N x K
    bots = len(totals.bots)
    return Model(
        unknown=np.column_stack((advantage, unknown)),
        factor=np.column_stack((of_advantage, factor)),
        credit=np.column_stack((of_advantage, credit)),
        seating=seating,
        role=role,
        share=_role_weights(totals, seating, role),
        matches=distinct_matches,
        copies=distinct_matches / totals.different[seating],
        mean=totals.scores[seating, role] / most_points,
        square=totals.products[seating, role, role] / most_squares,
        opposing=np.tile(index[:, None], depth),
        product=products / most_squares[:, None],
        advantages=advantages,
        bot=np.arange(bots),
        board_role=np.zeros(bots, dtype=np.int64),
    )


def _mates(side: Ints, played: Mask) -> Floats:
    """Return N x K: how many roles the side of each role has."""
    is_mate = side[:, :, None] == side[:, None, :]
    is_mate &= played[:, None, :]
    mates = is_mate.sum(axis=2)
    return np.asarray(np.maximum(mates, 1), dtype=np.float64)


def _role_weights(totals: MatchTotals, seating: Ints, role: Ints) -> Floats:
    """Return N: the weight of a score, 1 on average: all board roles weigh alike, as in points.

    A board role with fewer matches than a round robin of all bots has a smaller weight, so that
    the first matches of an event's second board do not outweigh all of its first.
    """
    board_role = totals.board_role[seating, role]
    matches = totals.matches[seating]
    seats = np.bincount(
        board_role,
        weights=matches,
        minlength=len(totals.board_roles),
    )
    bots = len(totals.bots)
    is_seat = totals.seats >= 0  # S x K
    members = is_seat.sum(axis=1)  # S
    is_alone = members[seating] == 1
    ordered_pairs = bots * (bots - 1)
    full = np.where(is_alone, bots, ordered_pairs)
    counted = np.maximum(seats[board_role], full)
    weight = 1 / counted
    weighted_matches = weight * matches
    total_weight = weighted_matches.sum()
    return np.asarray(weight * matches.sum() / total_weight)


@dataclass(frozen=True)
class _Pull:
    """How strongly the prior pulls each strength to 0; it rises with the strength."""

    spread: float
    far: float = FAR

    def of(self, strength: Floats) -> Floats:
        return np.asarray(strength / self._divisor(strength))

    def stiffness(self, strength: Floats) -> Floats:
        """Return the derivative."""
        bend = self._bend(strength)
        return np.asarray(1 / (self.spread**2 * bend**1.5))

    def secant(self, strength: Floats) -> Floats:
        """Return the slope of the line through 0 that has the same pull at the strength."""
        return np.asarray(1 / self._divisor(strength))

    def _divisor(self, strength: Floats) -> Floats:
        bend = self._bend(strength)
        return np.asarray(self.spread**2 * np.sqrt(bend))

    def _bend(self, strength: Floats) -> Floats:
        distance = strength / (self.far * self.spread)
        return np.asarray(1 + distance**2)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Noise:
    """What the residuals of a fit say of the scatter of the slopes."""

    scatter: Floats
    """P x P: the covariance of the slope if all matches that differ are independent."""
    promised: Floats
    """P x P: what the information promises for it."""


def estimate_overall(totals: MatchTotals, *, prior: bool = True) -> Fit:
    """Return the fit of one strength for each bot.

    Without a prior it is the plain fit, which may have no finite answer.
    """
    model = overall_model(totals)
    advantages = len(model.advantages)
    different = float(totals.different.sum())
    believed = Spread().bots
    unknowns = np.zeros(model.size)
    level = _level(model, prior)
    held = np.outer(level, level)  # P x P
    pull = _Pull(believed)
    if not prior:
        pull = _Pull(NO_PRIOR_LOGITS)
    dispersion = 1.0
    free = 1.0
    for _ in range(STEPS):
        unknowns, is_solved = _solved(model, pull, dispersion, unknowns, prior)
        if prior and not is_solved:
            pull = _Pull(believed, np.inf)
            dispersion = 1.0
            free = 1.0
            unknowns = np.zeros(model.size)
            break

        noise = _noise(totals, model, chance(model, unknowns))
        strength = unknowns[advantages:]
        stiffness = _prior_matrix(model, pull.stiffness(strength), prior)
        precision = noise.promised / dispersion + stiffness + held
        covariance = rounded(np.linalg.inv(precision))

        traced = covariance * noise.promised.T
        used = float(traced.sum()) / dispersion
        free = 1 - used / max(1.0, different)
        free = max(free, LEAST_FREE)
        scatter = np.diag(noise.scatter)[advantages:].sum()
        promised = np.diag(noise.promised)[advantages:].sum()
        observed = BELIEF_SCATTER + scatter / free
        expected = BELIEF_SCATTER + promised
        ratio = observed / expected
        change = np.log(ratio / dispersion)
        settled = abs(change) < SETTLED
        dispersion = max(LEAST_DISPERSION, float(ratio))
        if prior and model.bot.size:
            variance = np.abs(np.diag(covariance))[advantages:]
            likely = _likeliest_spread(strength, variance, pull.spread)
            change_of_spread = np.log(likely / pull.spread)
            settled = settled and abs(change_of_spread) < SETTLED
            pull = _Pull(likely)
        if settled:
            break

    unknowns, _ = _solved(model, pull, dispersion, unknowns, prior)
    unknowns = rounded(unknowns)
    noise = _noise(totals, model, chance(model, unknowns))
    strength = unknowns[advantages:]
    # Refits stay near the fit, so they use a line through 0 that equals the pull there.
    secant = pull.secant(strength)
    pulls = np.zeros((model.size, 1))
    pulls[advantages:, 0] = secant * strength
    ones = np.ones(len(model.mean))
    return Fit(
        model=model,
        spread=Spread(bots=pull.spread),
        dispersion=dispersion * ones,
        overlap=ones,
        unknowns=unknowns,
        prior=_prior_matrix(model, secant, prior),
        level=level,
        information=noise.promised / dispersion,
        scatter=noise.scatter / (free * dispersion**2),
        pulls=pulls,
    )


def _likeliest_spread(
    strength: Floats,
    variance: Floats,
    spread: float,
) -> float:
    """Return the likeliest spread of the prior, after one with this spread; far bots weigh less."""
    squares = strength**2 + variance
    relative_squares = squares / (FAR * spread) ** 2
    weights = 1 / np.sqrt(1 + relative_squares)
    weighted_squares = weights * squares
    sum_of_squares = float(weighted_squares.sum())
    return likeliest(sum_of_squares, len(strength), Spread().bots)


def _prior_matrix(model: Model, by_bot: Floats, prior: bool) -> Floats:
    """Return P x P: the precision of the prior, which is one number for each unknown."""
    of_advantages = _advantage_precision(prior)
    by_advantage = np.full(len(model.advantages), of_advantages)
    by_unknown = np.concatenate((by_advantage, by_bot))
    return np.diag(by_unknown)


def _level(model: Model, prior: bool) -> Floats:
    """Return P: `Fit.level`."""
    level = np.zeros(model.size)
    if not prior:
        level[len(model.advantages) :] = 1
    return level


def _advantage_precision(prior: bool) -> float:
    """Return the precision of the prior of each advantage."""
    if prior:
        return 1 / ADVANTAGE_LOGITS**2
    return 1 / NO_PRIOR_LOGITS**2


def _solved(
    model: Model,
    pull: _Pull,
    dispersion: float,
    start: Floats,
    prior: bool,
) -> tuple[Floats, bool]:
    """Return the unknowns at which the slope is 0, by Newton's method, and whether there are any.

    There are none where even the last step is longer than a step may be.
    """
    unknowns = start
    longest = 0.0
    count = len(model.advantages)
    weight = model.matches * model.share / dispersion
    of_advantages = _advantage_precision(prior)
    level = _level(model, prior)
    held = np.outer(level, level)  # P x P
    for _ in range(NEWTON_STEPS):
        expected = chance(model, unknowns)
        surplus = weight * (model.mean - expected)  # N
        by_credit = model.credit * surplus[:, None]
        by_scores = np.bincount(
            model.unknown.ravel(),
            weights=by_credit.ravel(),
            minlength=model.size,
        )
        advantage = unknowns[:count]
        strength = unknowns[count:]
        advantage_pull = of_advantages * advantage
        by_prior = np.concatenate((advantage_pull, pull.of(strength)))
        leveled = level * unknowns
        by_level = level * leveled.sum()
        slope = by_scores - by_prior - by_level

        stiffness = _prior_matrix(model, pull.stiffness(strength), prior)
        curved = weight * expected * (1 - expected)
        curvature = information(model, curved) + stiffness + held
        step = np.linalg.solve(curvature, slope)
        longest = np.abs(step).max(initial=0.0)
        shortened = LONGEST_LOGITS / max(longest, LONGEST_LOGITS)
        unknowns = unknowns + step * shortened
        if longest < CLOSE_LOGITS:
            break
    return unknowns, bool(longest < LONGEST_LOGITS)


def _noise(totals: MatchTotals, model: Model, expected: Floats) -> _Noise:
    """Return the scatter of the slopes, where the residuals of the roles of a match are correlated.

    The correlation is a figure of the board, from all of its matches.
    """
    size = model.size
    table: Ints = np.full(totals.seats.shape, -1)
    table[model.seating, model.role] = np.arange(len(model.seating))
    boards, board = np.unique(totals.board_role, axis=0, return_inverse=True)
    share = model.share
    weight = model.matches * share
    binary = expected * (1 - expected)
    cells = size**2
    scatter = np.zeros(cells)
    for number, columns in enumerate(boards):
        on_board = board == number
        rows = table[on_board]  # seatings of the board x K
        roles = np.flatnonzero(columns >= 0)
        scores = rows[:, roles]
        board_roles = columns[roles]
        likeness = _likeness(totals, model, scores, board_roles, expected)
        for left, left_role in enumerate(roles):
            first = rows[:, left_role]
            first_weight = weight[first] * model.copies[first]
            for right, right_role in enumerate(roles):
                second = rows[:, right_role]
                products = binary[first] * binary[second]
                sizes = np.sqrt(products)
                value = first_weight * share[second]
                value = value * sizes * likeness[left, right]
                # A score counts for its advantage, in column 0, and for its bot.
                for at in (0, left_role + 1):
                    row = model.unknown[first, at] * size
                    for other in (0, right_role + 1):
                        cell = row + model.unknown[second, other]
                        scatter += np.bincount(cell, weights=value, minlength=cells)
    square = scatter.reshape(size, size)
    both_orders = square + square.T
    return _Noise(
        scatter=both_orders / 2,
        promised=information(model, weight * binary),
    )


def _likeness(
    totals: MatchTotals,
    model: Model,
    rows: Ints,
    columns: Ints,
    expected: Floats,
) -> Floats:
    """Return K x K: the covariance of the residuals of a board's roles, as parts of winning.

    `rows` are the scores of its seatings, a column for each role; `columns` are its board roles.
    """
    roles = len(columns)
    first = rows[:, [0]]  # rows x 1
    matches = model.matches[first]  # rows x 1
    row_mean = model.mean[rows]  # rows x K
    row_expected = expected[rows]  # rows x K
    products = np.zeros((roles, roles))
    for right in range(roles):
        second = rows[:, [right]]
        second_role = model.role[second]
        second_expected = expected[second]
        cross = (
            model.product[rows, second_role]
            - row_expected * model.mean[second]
            - row_mean * second_expected
            + row_expected * second_expected
        )
        by_seating = matches * cross  # rows x K
        products[:, right] = by_seating.sum(axis=0)
    expected_wins = matches * row_expected  # rows x K
    variances = expected_wins * (1 - row_expected)  # rows x K
    binary = variances.sum(axis=0)

    side = np.array([totals.board_roles[column].side for column in columns])
    of_opponents = 0.0
    if len(np.unique(side)) == 2:
        of_opponents = -1.0
    same_side = side[:, None] == side
    belief = np.where(same_side, 1.0, of_opponents)
    size = np.sqrt(BELIEF_SCATTER + binary)
    covariance = products + BELIEF_SCATTER * belief
    return np.asarray(covariance / np.outer(size, size))
