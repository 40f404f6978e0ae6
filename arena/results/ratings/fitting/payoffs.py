"""Payoffs: what each bot can expect against each other bot, pair by pair, and how sure that is.

No order is assumed here: A may beat B, B beat C, and C beat A.
"""

# The value of a block is the mean result of its two bots there, 0 to 1: half of it is a draw, or
# two legs won by one bot each. Blocks are independent. The belief of a payoff is the beta
# distribution that has the mean and the variance of a Bayesian bootstrap (Rubin, 1981) of the
# blocks and of one more block, half won and half lost. Where all blocks are won or lost, that is
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
    mean: Floats
    """The mean result of the row's bot, 0 to 1; 0.5 for two bots that never met."""
    squares: Floats
    """The mean of the squared results of the row's bot."""

    def samples(
        self, figures_of: Callable[[Floats], Floats], count: int, random: np.random.Generator
    ) -> Floats:
        """Return the figures of payoffs that are drawn from the belief, `count` times.

        `figures_of` takes T x N x N.
        """
        at_once = max(1, NUMBERS // max(1, self.mean.size))
        drawn = (self._drawn(min(at_once, count - at), random) for at in range(0, count, at_once))
        return np.concatenate([*map(figures_of, drawn)])

    def _drawn(self, count: int, random: np.random.Generator) -> Floats:
        """Return count x N x N: payoffs drawn from the belief."""
        more = self.blocks + 1
        mean = (self.blocks * self.mean + 0.5) / more
        variance = ((self.blocks * self.squares + 0.5) / more - mean**2) / (more + 1)
        sureness = mean * (1 - mean) / variance - 1
        upper = np.triu_indices(len(mean), 1)
        payoffs = np.full((count, *mean.shape), 0.5)
        payoffs[:, *upper] = random.beta(
            (mean * sureness)[upper], ((1 - mean) * sureness)[upper], (count, len(upper[0]))
        )
        payoffs[:, upper[1], upper[0]] = 1 - payoffs[:, *upper]
        return payoffs


def payoffs_of(totals: MatchTotals) -> Payoffs:
    """Return the payoffs of all pairs of bots; sides are compared by their score in each block."""
    count, blocks = len(totals.bots), 1 + int(totals.block.max(initial=0))
    seats, side = totals.seats[totals.seating], totals.side[totals.seating]
    codes, results = [], []
    for left in range(seats.shape[1]):
        for right in range(left):
            met = (seats[:, right] >= 0) & (seats[:, left] >= 0)
            met &= (side[:, left] != side[:, right]) & (seats[:, left] != seats[:, right])
            bot, opponent = seats[met, left], seats[met, right]
            lead = (
                totals.part_scores[met, left] - totals.part_scores[met, right]
            ) / totals.part_matches[met]
            result = 0.5 + np.where(bot < opponent, lead, -lead) / 200
            codes.append(
                (np.minimum(bot, opponent) * count + np.maximum(bot, opponent)) * blocks
                + totals.block[met]
            )
            results.append(result)
    code, meeting = np.unique(
        np.concatenate([*codes, np.zeros(0, dtype=np.int64)]), return_inverse=True
    )
    result = np.bincount(meeting, np.concatenate([*results, np.zeros(0)])) / np.bincount(meeting)
    pair = code // blocks

    def by_pair(weights: Floats) -> Floats:
        return (
            np.bincount(pair, weights, minlength=count * count)
            .astype(np.float64)
            .reshape(count, count)
        )

    meetings, total, squared = by_pair(np.ones(len(pair))), by_pair(result), by_pair(result**2)
    times = np.maximum(meetings + meetings.T, 1)
    never = 0.5 * (meetings + meetings.T == 0)
    return Payoffs(
        blocks=(meetings + meetings.T).astype(np.int64),
        mean=(total + (meetings - total).T) / times + never,
        squares=(squared + (meetings - 2 * total + squared).T) / times + never,
    )
