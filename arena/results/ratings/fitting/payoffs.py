"""Payoffs: what each bot can expect against each other bot, pair by pair, and how sure that is.

No order is assumed here: A may beat B, B beat C, and C beat A.
"""

# The value of a block is the mean result of its two bots there, 0 to 1: half of it is a draw, or
# two legs won by one bot each. A payoff is the mean over all matches, as points are: a block of
# copies weighs as much as its matches. Blocks are independent, and the largest one has the weight
# of one observation, so a payoff is as sure as that of `observations` equal blocks. The belief of a
# payoff is the beta distribution that has the mean and the variance of a Bayesian bootstrap (Rubin,
# 1981) of these and of one more, half won and half lost. Where all blocks are won or lost, that is
# exactly the posterior under Jeffreys' prior.

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arena.results.arrays import Floats, Ints
from arena.results.ratings.fitting.match_totals import MatchTotals

NUMBERS = 4_000_000
"""Payoffs that are held at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Payoffs:
    """N x N, a row a bot and a column an opponent; nobody meets itself."""

    blocks: Ints
    """The number of blocks in which two bots met on different sides."""
    observations: Floats
    """Their matches, over those of the largest block: the number of blocks if all are equal."""
    mean: Floats
    """The mean result of the row's bot, 0 to 1; 0.5 for two bots that never met."""
    squares: Floats
    """The mean of the squared results of the row's bot."""

    def samples(
        self,
        figures_of: Callable[[Floats], Floats],
        count: int,
        random: np.random.Generator,
    ) -> Floats:
        """Return the figures of payoffs that are drawn from the belief, `count` times.

        `figures_of` takes T x N x N.
        """
        at_once = max(1, NUMBERS // max(1, self.mean.size))
        figures = []
        for start in range(0, count, at_once):
            size = min(at_once, count - start)
            payoffs = self._drawn(size, random)
            figures.append(figures_of(payoffs))
        return np.concatenate(figures)

    def _drawn(self, count: int, random: np.random.Generator) -> Floats:
        """Return count x N x N: payoffs drawn from the belief."""
        count_and_one = self.observations + 1  # with one more, half won and half lost
        sum_of_results = self.observations * self.mean + 0.5
        sum_of_squares = self.observations * self.squares + 0.5
        mean = sum_of_results / count_and_one
        mean_square = sum_of_squares / count_and_one
        variance = (mean_square - mean**2) / (count_and_one + 1)
        sureness = mean * (1 - mean) / variance - 1
        wins = mean * sureness
        losses = (1 - mean) * sureness

        bots = len(mean)
        row, column = np.triu_indices(bots, 1)  # of each pair
        pair_wins = wins[row, column]
        pair_losses = losses[row, column]
        pairs = len(row)
        sample = random.beta(pair_wins, pair_losses, (count, pairs))
        payoffs = np.full((count, bots, bots), 0.5)
        payoffs[:, row, column] = sample
        payoffs[:, column, row] = 1 - sample
        return payoffs


def payoffs_of(totals: MatchTotals) -> Payoffs:
    """Return the payoffs of all pairs of bots; sides are compared by their score in each block."""
    count = len(totals.bots)
    pairs = count * count
    blocks = 1 + int(totals.block.max(initial=0))
    parts = max(1, len(totals.block))
    seats = totals.seats[totals.seating]  # B x K
    side = totals.side[totals.seating]  # B x K
    # A code names a pair of bots in a part, once for two of their roles.
    codes = [np.zeros(0, dtype=np.int64)]
    results = [np.zeros(0)]  # of the bot that comes first by name, 0 to 1
    for left in range(seats.shape[1]):
        for right in range(left):
            left_seat = seats[:, left]  # B
            right_seat = seats[:, right]
            both_played = (right_seat >= 0) & (left_seat >= 0)
            is_opposed = side[:, left] != side[:, right]
            are_two = left_seat != right_seat
            met = both_played & is_opposed & are_two
            bot = left_seat[met]
            opponent = right_seat[met]
            scores = totals.part_scores[met]
            difference = scores[:, left] - scores[:, right]
            lead = difference / totals.part_matches[met]
            is_first = bot < opponent
            lead_of_first = np.where(is_first, lead, -lead)
            result = 0.5 + lead_of_first / 200
            first = np.minimum(bot, opponent)
            second = np.maximum(bot, opponent)
            pair = first * count + second
            part = np.flatnonzero(met)
            code = pair * parts + part
            results.append(result)
            codes.append(code)

    # A leg is a pair in a part; its result is the mean over the roles.
    all_codes = np.concatenate(codes)
    all_results = np.concatenate(results)
    code, leg = np.unique(all_codes, return_inverse=True)
    sum_by_leg = np.bincount(leg, all_results)
    of_legs = sum_by_leg / np.bincount(leg)
    part = code % parts  # by leg
    pair = code // parts  # by leg
    size = totals.part_matches[part].astype(np.float64)  # by leg, in matches

    # A meeting is a pair in a block: all of its legs.
    in_block = pair * blocks + totals.block[part]
    code, meeting = np.unique(in_block, return_inverse=True)
    matches = np.bincount(meeting, size).astype(np.float64)  # by meeting
    sum_by_meeting = np.bincount(meeting, size * of_legs)
    result = sum_by_meeting / matches
    pair = code // blocks  # by meeting
    largest = np.zeros(pairs)
    np.maximum.at(largest, pair, matches)

    def by_pair(weights: Floats) -> Floats:
        sums = np.bincount(pair, weights, minlength=pairs)
        figures = sums.astype(np.float64)
        return figures.reshape(count, count)

    # These have a figure only where the row's bot comes before the column's.
    selection = by_pair(np.ones(len(pair)))
    played = by_pair(matches)
    total = by_pair(matches * result)
    squared = by_pair(matches * result**2)
    both = played + played.T
    divisor = np.maximum(both, 1)
    never = 0.5 * (both == 0)
    lost = played - total
    lost_squared = played - 2 * total + squared
    largest_block = np.maximum(largest, 1).reshape(count, count)
    observations = played / largest_block
    meetings = selection + selection.T
    return Payoffs(
        blocks=meetings.astype(np.int64),
        observations=observations + observations.T,
        mean=(total + lost.T) / divisor + never,
        squares=(squared + lost_squared.T) / divisor + never,
    )
