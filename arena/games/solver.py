"""Perfect play in games of two sides with few positions.

It computes the value of every state by backward induction with numpy. It owns the induction and
what a value means. The rules give the positions and their successors as arrays, so it knows no
game. It needs numpy, so rules import it inside `solve`, and never in a bot.
"""

# Theory of operation
#
# A state of such a game is a position and a counter of turns, and the counter decides nothing but
# the end. The rules number the positions, and say for each turn of a cycle (the explorer's, the
# mummy's) which positions follow. Then one layer of values for each value of the counter is
# computed from the layer after it: for each position the best of its successors, which is one
# gather and one maximum in numpy. A maze of 8 x 8 cells has 4,096 positions and 50 layers.
#
# Values are ordered as the players want them: first by score; of two wins the quicker one is
# better, of two losses the slower one, and draws are alike. So a value is one number, `worth`:
# SCORE times the distance of the score from a draw, less the turns until the end, towards zero. It
# costs each layer one step towards zero, whatever the score.
#
# Rejected: one solver that plays every legal move through the contract of arena.game. It takes
# 120,000 calls of `play` for a maze, which is half a second; a generator has to look at a hundred
# mazes before it has twenty that are worth playing. tests/support/solver.py does this, and the
# tests compare the two.

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.game import DRAW, Value

Ints = npt.NDArray[np.signedinteger[Any]]

SCORE = 10_000
"""The worth of one point of score; more than the turns of any match."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A turn of the cycle, in which one side moves."""

    maximises: bool
    """True when the first side moves, whose score the values are."""
    successors: Ints
    """Shape (positions, moves): the position that each move leads to. Rows of fewer moves repeat
    one of theirs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """The values of every position at every counter."""

    worth: Ints
    """Shape (counters, positions)."""
    index: Callable[[Any], tuple[int, int]]
    """Return the counter and the position of a state."""

    def __call__(self, state: Any) -> Value:
        """Return the value of a state."""
        counter, position = self.index(state)
        worth = int(self.worth[counter, position])
        if worth == 0:  # a draw, which ends at the limit
            limit = len(self.worth) - 1
            return Value(DRAW, limit - counter)

        # It is SCORE times the distance of the score from a draw, less the turns.
        size = abs(worth)
        distance = (size + SCORE - 1) // SCORE
        turns = -size % SCORE
        if worth > 0:
            return Value(DRAW + distance, turns)
        return Value(DRAW - distance, turns)


def induce(
    phases: Sequence[Phase],
    over: Ints,
    steps: int,
    at_limit: int = DRAW,
) -> Ints:
    """Return the worth of each position at each counter from 0 to `steps`.

    Shape (steps + 1, positions). `over` has the score of each position in which the match is over
    whatever the counter is, and -1 for the others, which score `at_limit` when the counter reaches
    `steps`. The turn at counter `n` is `phases[n % len(phases)]`. A draw must not end before the
    limit, because its worth has no turns.
    """
    ended = over >= 0  # (positions)
    final = np.where(ended, over, at_limit)
    final_worth = (final - DRAW) * SCORE
    worth = np.empty((steps + 1, len(over)), dtype=np.int32)
    worth[steps] = final_worth
    for counter in reversed(range(steps)):
        phase = phases[counter % len(phases)]
        next_layer = worth[counter + 1]  # (positions)
        after = next_layer[phase.successors]  # (positions, moves)
        if phase.maximises:
            best = after.max(axis=1)
        else:
            best = after.min(axis=1)
        later = best - np.sign(best)  # a turn nearer to zero
        worth[counter] = np.where(ended, final_worth, later)
    return worth
