"""How unsure the strengths of bots are, and how much of that pairings take away.

It knows no schedule and no match: it begins with a covariance, and pairings make it smaller.
"""

# Theory of operation
# -------------------
# The covariance of n strengths has n² numbers, and each pairing changes all of them: 10,000 bots
# take 800 MB and minutes. So the bots stand in groups, and bots of different groups count as
# independent. A small field is one group, where nothing is left out.
#
# A pairing with the information g makes the covariance C smaller by
#
#     c c' g / (1 + g (c[bot] - c[opponent])), where c = C[bot] - C[opponent]
#
# For bots of different groups the same formula has only the bot's own group in C[bot]. So each
# group has exactly what a pairing of independent bots leaves of it, and only the covariance that
# the pairing makes between the groups is left out.

from collections.abc import Iterator, Sequence

import numpy as np

from arena.results.arrays import Floats, Ints, rounded


class Uncertainty:
    """The covariances of the strengths of groups of bots."""

    def __init__(self, groups: Sequence[Ints], covariances: Sequence[Floats]) -> None:
        """Begin with the covariance of each group; each bot is in a single group."""
        self.groups = groups
        self.covariances = covariances
        bots = sum(len(members) for members in groups)
        self.group: Ints = np.zeros(bots, dtype=np.int64)
        """By bot: its group."""
        self.index: Ints = np.zeros(bots, dtype=np.int64)
        """By bot: its place in its group."""
        for number, members in enumerate(groups):
            self.group[members] = number
            self.index[members] = np.arange(len(members))

    def squares(self, group: int, bot: Ints, opponent: Ints) -> Floats:
        """Return the squared errors of the differences in strength of pairs of a group."""
        first = self.index[bot]  # by pair
        second = self.index[opponent]
        covariance = self.covariances[group]
        variance = covariance.diagonal()  # by bot of the group
        variances = variance[first] + variance[second]
        shared = covariance[first, second]
        return np.asarray(variances - 2 * shared)

    def play(
        self,
        bot: int,
        opponent: int,
        gain: float,
    ) -> Iterator[tuple[int, Floats]]:
        """Count a pairing with this information.

        Yield each of its groups, with the root of what its covariance lost: the product of this
        vector with itself.
        """
        bots_group = int(self.group[bot])
        bots_index = int(self.index[bot])
        opponents_group = int(self.group[opponent])
        opponents_index = int(self.index[opponent])
        bots_row = self.covariances[bots_group][bots_index]
        opponents_row = self.covariances[opponents_group][opponents_index]
        if bots_group == opponents_group:
            share = rounded(bots_row - opponents_row)
            shares = {bots_group: share}
            square = share[bots_index] - share[opponents_index]
        else:
            bots_share = rounded(bots_row)
            opponents_share = -rounded(opponents_row)
            shares = {bots_group: bots_share, opponents_group: opponents_share}
            square = bots_share[bots_index] - opponents_share[opponents_index]

        scale = np.sqrt(gain / (1 + gain * square))
        for group, share in shares.items():
            change = share * scale  # by bot of the group
            self.covariances[group][...] -= change[:, None] * change
            yield group, change
