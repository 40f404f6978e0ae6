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
        bots = sum(len(members) for members in groups)
        self.groups = groups
        self.covariances = covariances
        self.group: Ints = np.zeros(bots, dtype=np.int64)
        """By bot: its group."""
        self.index: Ints = np.zeros(bots, dtype=np.int64)
        """By bot: its place in its group."""
        for number, members in enumerate(groups):
            self.group[members] = number
            self.index[members] = np.arange(len(members))

    def squares(self, group: int, bot: Ints, opponent: Ints) -> Floats:
        """Return the squared errors of the differences in strength of pairs of a group."""
        covariance = self.covariances[group]
        variance = covariance.diagonal()
        first = self.index[bot]
        second = self.index[opponent]
        return np.asarray(variance[first] + variance[second] - 2 * covariance[first, second])

    def play(self, bot: int, opponent: int, gain: float) -> Iterator[tuple[int, Floats]]:
        """Count a pairing with this information.

        Yield each of its groups, with the root of what its covariance lost: the product of this
        vector with itself.
        """
        first, second = int(self.group[bot]), int(self.group[opponent])
        here, there = int(self.index[bot]), int(self.index[opponent])
        if first == second:
            share = rounded(self.covariances[first][here] - self.covariances[first][there])
            shares = {first: share}
            square = share[here] - share[there]
        else:
            shares = {
                first: rounded(self.covariances[first][here]),
                second: -rounded(self.covariances[second][there]),
            }
            square = shares[first][here] - shares[second][there]
        for group, share in shares.items():
            change = share * np.sqrt(gain / (1 + gain * square))
            self.covariances[group][...] -= change[:, None] * change
            yield group, change
