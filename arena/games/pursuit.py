"""The worth of moves in games where a runner collects things and two hunters chase it together.

It knows cells by number and no game. Rules import it inside `estimate`, and never in a bot, because
it needs numpy.
"""

# Theory of operation
#
# The state space of such a game is too large to solve, because each set of things that are left is
# another state. Two parts of it are small. Without the things there is only a placement of the
# three, so `turns_to_capture` finds by backward induction in how many turns the hunters can force a
# capture, whatever the runner does. And in the next few rounds the runner can collect only few
# sets. So `runner_scores` searches these rounds completely: it lists the nodes (cell of the runner,
# things that are left) that the runner can reach in each round, and the cells that each hunter can
# reach, and computes one array of values (node, hunter, hunter) a round by backward induction. Two
# ways of the runner to one node are one node, and two moves of the hunters to one pair of cells are
# one pair; so a round costs a few operations of numpy, and ten rounds are affordable where a tree
# of moves has 10^13 leaves.
#
# The hunters of the search see the runner's every move, cooperate perfectly, and want it to have a
# low score. Behind the last round that was searched the value is an estimate: the runner takes
# COLLECTED_A_MOVE of a thing with each move that it has until the capture that is forced there.
#
# The worth of a hunter's move needs no further search: a capture scores, and turns_to_capture says
# when it is forced. It ignores the things, so it is exact as long as the runner cannot collect the
# last of them before the capture.
#
# Three designs were compared by benchmarks/estimates.py, at 100 positions of four boards with the
# runner to move, each against this search with 30 times its values, which sees 13 rounds. Of each:
# CPU time a position, the mean error of a move's regret in points, and how often it names a move
# that is best there.
#
#   minimax through the contract of arena.game, 3 rounds      4 ms   1.9   85 %
#   this search, nothing collected behind the last round      2 ms   1.0   92 %
#   this search, a half collected a move behind it            2 ms   0.7   94 %
#   the same with four times the values                       6 ms   0.3   97 %

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.signedinteger[Any]]

MOST_CELLS = 100
"""Boards of more cells have no estimate: with that many, the turns to a capture take 0.9 s of CPU
time and 45 MB."""
MOST_TURNS = 10_000
"""Boards of longer matches have no estimate, either."""
MOST_VALUES = 100_000
"""The values that a search computes; it stops before the round that would need more."""
COLLECTED_A_MOVE = 0.5
"""The things that the runner takes a move behind the last round; 0.3 to 0.7 did equally well, 0 and
1 worse."""


def padded(ways: Sequence[Sequence[int]]) -> Ints:
    """Return the neighbours of each cell as an array of shape (cells, ways).

    Shorter rows repeat their first.
    A cell without neighbours, which nobody enters, has itself.
    """
    most = max(map(len, ways))
    rows = [
        [*cells, *(list(cells[:1]) or [cell]) * (most - len(cells))]
        for cell, cells in enumerate(ways)
    ]
    return np.array(rows, dtype=np.intp)


def turns_to_capture(ways: Sequence[Sequence[int]], most: int) -> Ints:
    """Return in how many turns two hunters can force a capture from each placement.

    The runner is to move. The result is an array of shape (cells, cells, cells) by the cells of the
    runner and the hunters; `most + 1` where they need more turns than `most`, and 0 where the
    runner stands on a hunter. `ways` has the neighbours of each cell.
    """
    columns = padded(ways).T
    runner, first, second = np.indices((len(ways),) * 3)
    caught = (runner == first) | (runner == second)
    runner_moves = hunters_move = (
        caught  # where a capture can be forced in `count` turns, by who moves first
    )
    turns = np.where(caught, 0, most + 1)
    for count in range(1, most + 1):
        # The hunters choose together: first where one may go, then for each of these where the
        # other may.
        after = np.logical_or.reduce([runner_moves[:, :, column] for column in columns])
        after = caught | np.logical_or.reduce([after[:, column] for column in columns])
        next_runner = caught | np.logical_and.reduce([hunters_move[column] for column in columns])
        if np.array_equal(next_runner, runner_moves) and np.array_equal(after, hunters_move):
            break  # from all other placements the runner can flee for ever
        runner_moves, hunters_move = next_runner, after
        turns[runner_moves & (turns > count)] = count
    return turns


class Pursuit:
    """The game on one board: the worth of each move of the runner and of a hunter."""

    def __init__(
        self,
        ways: Sequence[Sequence[int]],
        things: Sequence[int],
        scores: Sequence[int],
        enough: int,
        most: int,
    ) -> None:
        """Compute the turns to a forced capture from every placement.

        `ways` has the neighbours of each cell, and `things` the bit of the thing in it, or 0.
        `scores` are the runner's by the number of things that it has; with `enough` of them the
        match is over. A match has at most `most` turns.
        """
        self._ways, self._neighbours = ways, padded(ways)
        self._moves = [[(there, ~things[there]) for there in cells] for cells in ways]
        self._total = sum(map(bool, things))
        self._scores, self._enough = (
            np.array(scores, dtype=np.int8),
            enough,
        )  # small numbers are quicker to compare
        self._capture = turns_to_capture(ways, most).astype(np.int16)
        self._spreads: dict[tuple[int, int], tuple[Ints, Ints]] = {}

    def hunter_turns(self, runner: int, hunter: int, partner: int) -> list[int]:
        """Return for each way of a hunter how many turns later a capture can be forced.

        This turn counts.         The partner moves at the same time, and each way is judged with
        the partner's best move beside it.
        """
        beside = self._neighbours[partner]
        return [int(self._capture[runner, there, beside].min()) + 1 for there in self._ways[hunter]]

    def runner_scores(
        self, runner: int, hunters: tuple[int, int], left: int, turns: int
    ) -> list[int]:
        """Return for each way of the runner the score that it leads to, as far as the search sees.

        `left` has the bits of the things that nobody took, and `turns` is the number of turns until
        the last.
        """
        # Forwards: the nodes of the runner after 0, 1, 2, ... rounds, and the number of things that
        # it has in each.
        nodes, taken, children, work = [[(runner, left)]], list[Ints](), list[Ints](), 0
        while True:
            counts = [self._total - things.bit_count() for _, things in nodes[-1]]
            taken.append(np.array(counts))
            if 2 * len(children) >= turns:
                break
            index: dict[tuple[int, int], int] = {}
            rows = [
                [
                    index.setdefault((there, things & mask), len(index))
                    for there, mask in self._moves[cell]
                ]
                if count < self._enough
                else [0]  # the children of a match that is over play no part
                for (cell, things), count in zip(nodes[-1], counts, strict=True)
            ]
            first, second = (self._spread(hunter, len(children) + 1)[0] for hunter in hunters)
            work += len(index) * len(first) * len(second)
            if not index or (work > MOST_VALUES and children):
                break
            children.append(padded(rows))
            nodes.append(list(index))
        cells = [np.array([cell for cell, _ in round_nodes]) for round_nodes in nodes]

        # Backwards: `value` is of the runner's turn in each round, of shape (nodes, first hunter,
        # second hunter).
        depth = len(children)
        hunter_cells = [
            tuple(self._spread(hunter, done)[0] for hunter in hunters) for done in range(depth + 1)
        ]
        value = self._leaves(
            cells[depth], taken[depth], hunter_cells[depth], max(turns - 2 * depth, 0)
        )
        for done in range(depth, 0, -1):
            first, second = hunter_cells[done - 1]
            if (
                2 * done - 1 < turns
            ):  # one `take` for each way: numpy reduces an axis of four slowly
                first_ways, second_ways = (self._spread(hunter, done)[1] for hunter in hunters)
                value = reduce(np.minimum, [value.take(column, axis=1) for column in first_ways])
                value = reduce(np.minimum, [value.take(column, axis=2) for column in second_ways])
            else:  # the runner's move was the last of the match
                value = np.repeat(self._scores[taken[done]], len(first) * len(second))
                value = value.reshape(-1, len(first), len(second))
            self._end(cells[done], taken[done], (first, second), value)
            if done > 1:
                value = reduce(
                    np.maximum, [value.take(column, axis=0) for column in children[done - 1].T]
                )
                self._end(cells[done - 1], taken[done - 1], (first, second), value)
        return [int(value[child, 0, 0]) for child in children[0][0][: len(self._ways[runner])]]

    def _spread(self, hunter: int, rounds: int) -> tuple[Ints, Ints]:
        """Return the cells that a hunter can reach in a number of rounds, and the ways to them.

        The ways are an array of shape (ways, cells of the round before): the indices of these
        cells.
        """
        if (hunter, rounds) not in self._spreads:
            if rounds == 0:
                cells, ways = np.array([hunter]), np.empty((0, 0), dtype=np.intp)
            else:
                neighbours = self._neighbours[self._spread(hunter, rounds - 1)[0]]
                cells = np.unique(neighbours)
                ways = np.searchsorted(cells, neighbours).T
            self._spreads[hunter, rounds] = cells, ways
        return self._spreads[hunter, rounds]

    def _leaves(self, runner: Ints, taken: Ints, hunters: tuple[Ints, ...], turns: int) -> Ints:
        """Return the estimated values of positions behind the last round, with `turns` to play."""
        capture = (
            self._capture[runner]
            .take(hunters[0], axis=1)
            .take(hunters[1], axis=2)
            .reshape(len(runner), -1)
        )
        # By the turns until the capture: a look-up is quicker than arithmetic with all positions.
        moves = (np.minimum(np.arange(capture.max() + 1), turns) + 1) // 2
        more = (moves * COLLECTED_A_MOVE).astype(int)
        last = np.minimum(np.maximum(taken, self._enough), self._total)
        scores = self._scores[np.minimum(taken[:, None] + more, last[:, None])]
        values: Ints = scores.ravel().take(capture + np.arange(0, scores.size, len(more))[:, None])
        return values.reshape(-1, *map(len, hunters))

    def _end(self, runner: Ints, taken: Ints, hunters: tuple[Ints, ...], value: Ints) -> None:
        scores = self._scores[taken]
        over = taken >= self._enough
        value[over] = scores[over, None, None]
        for values, cells in ((value, hunters[0]), (value.swapaxes(1, 2), hunters[1])):
            node, hunter = np.nonzero(runner[:, None] == cells)
            values[node, hunter] = scores[node, None]
