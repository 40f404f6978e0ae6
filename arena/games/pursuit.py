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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.signedinteger[Any]]
Node = tuple[int, int]
"""A cell of the runner, and the bits of the things that are left."""

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

    Shorter rows repeat their first neighbour. The row of a cell without neighbours, which nobody
    enters, is the cell itself.
    """
    most = max(map(len, ways))
    rows = []
    for cell, neighbours in enumerate(ways):
        filler = cell
        if neighbours:
            filler = neighbours[0]
        row = list(neighbours)
        missing = most - len(row)
        row += [filler] * missing
        rows.append(row)
    return np.array(rows, dtype=np.intp)


def turns_to_capture(ways: Sequence[Sequence[int]], most: int) -> Ints:
    """Return in how many turns two hunters can force a capture from each placement.

    The runner is to move. The result is an array of shape (cells, cells, cells) by the cells of the
    runner and the hunters; `most + 1` where they need more turns than `most`, and 0 where the
    runner stands on a hunter. `ways` has the neighbours of each cell.
    """
    columns = padded(ways).T  # (ways, cells)
    # All arrays below are of shape (runner, first hunter, second hunter).
    cells = len(ways)
    runner, first, second = np.indices((cells, cells, cells))
    caught = (runner == first) | (runner == second)
    turns = np.where(caught, 0, most + 1)
    # Where the hunters can force a capture in `count` turns, with the runner or them to move.
    runner_to_move = caught
    hunters_to_move = caught
    for count in range(1, most + 1):
        # The hunters choose together: for each way of the second hunter any way of the first.
        by_second = [runner_to_move[:, :, column] for column in columns]
        second_moved = np.logical_or.reduce(by_second)
        by_first = [second_moved[:, column] for column in columns]
        both_moved = np.logical_or.reduce(by_first)
        next_hunters = caught | both_moved

        # The runner flees if any of its ways does not lead to a capture.
        by_runner = [hunters_to_move[column] for column in columns]
        runner_moved = np.logical_and.reduce(by_runner)
        next_runner = caught | runner_moved

        runner_unchanged = np.array_equal(next_runner, runner_to_move)
        if runner_unchanged and np.array_equal(next_hunters, hunters_to_move):
            break  # from all other placements the runner can flee for ever
        runner_to_move = next_runner
        hunters_to_move = next_hunters
        is_new = runner_to_move & (turns > count)
        turns[is_new] = count
    return turns


class _Round(NamedTuple):
    """The positions of a search after some rounds: each node of the runner with each pair of cells.

    A node is a cell of the runner and the things that are left.
    """

    cells: Ints
    """Shape (nodes): the runner's cell in each node."""
    collected: Ints
    """Shape (nodes): the number of things that the runner has in each node."""
    hunters: tuple[Ints, Ints]
    """The cells that each hunter can reach."""


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
        self._ways = ways
        self._neighbours = padded(ways)
        # For each cell, each neighbour and the mask of the things that are left behind it.
        self._moves = []
        for neighbours in ways:
            moves = [(cell, ~things[cell]) for cell in neighbours]
            self._moves.append(moves)
        self._total = sum(map(bool, things))
        self._enough = enough
        # Small numbers are quicker to compare.
        self._scores = np.array(scores, dtype=np.int8)
        capture = turns_to_capture(ways, most)
        self._capture = capture.astype(np.int16)
        self._spreads: dict[tuple[int, int], tuple[Ints, Ints]] = {}

    def hunter_turns(
        self,
        runner: int,
        hunter: int,
        partner: int,
    ) -> list[int]:
        """Return for each way of a hunter how many turns later a capture can be forced.

        This turn counts. The partner moves at the same time, and each way is judged with the
        partner's best move beside it.
        """
        partner_cells = self._neighbours[partner]
        turns = []
        for cell in self._ways[hunter]:
            captures = self._capture[runner, cell, partner_cells]  # (ways of partner)
            soonest = int(captures.min())
            turns.append(soonest + 1)
        return turns

    def runner_scores(
        self,
        runner: int,
        hunters: tuple[int, int],
        things_left: int,
        turns: int,
    ) -> list[int]:
        """Return for each way of the runner the score that it leads to, as far as the search sees.

        `things_left` has the bits of the things that nobody took, and `turns` is the number of
        turns until the last.
        """
        rounds, children = self._search_forwards(runner, hunters, things_left, turns)
        depth = len(children)
        searched_turns = 2 * depth
        turns_behind = max(turns - searched_turns, 0)
        # The values of the runner's turn, of shape (nodes, first hunter, second hunter).
        value = self._leaves(rounds[depth], turns_behind)
        for number in range(depth, 0, -1):
            # The hunters' turn: the runner has moved in this round, the hunters have not.
            first, second = rounds[number - 1].hunters
            after_runner = rounds[number]._replace(hunters=(first, second))
            if 2 * number - 1 < turns:
                _, first_ways = self._spread(hunters[0], number)
                _, second_ways = self._spread(hunters[1], number)
                value = _best_of(np.minimum, value, first_ways, axis=1)
                value = _best_of(np.minimum, value, second_ways, axis=2)
            else:  # the runner's move was the last of the match
                scores = self._scores[after_runner.collected]  # (nodes)
                pairs = len(first) * len(second)
                value = np.repeat(scores, pairs)
                value = value.reshape(-1, len(first), len(second))
            self._end(after_runner, value)
            if number > 1:
                runner_ways = children[number - 1].T
                value = _best_of(np.maximum, value, runner_ways, axis=0)
                self._end(rounds[number - 1], value)

        first_moves = children[0][0]
        first_moves = first_moves[: len(self._ways[runner])]
        return [int(value[child, 0, 0]) for child in first_moves]

    def _search_forwards(
        self,
        runner: int,
        hunters: tuple[int, int],
        things_left: int,
        turns: int,
    ) -> tuple[list[_Round], list[Ints]]:
        """Return the positions after 0, 1, 2, ... rounds, and the children of each round.

        The last round has no children. Children are an array of shape (nodes, ways): the index of
        the node in the next round.
        """
        nodes = [(runner, things_left)]
        rounds: list[_Round] = []
        children: list[Ints] = []
        work = 0
        while True:
            cells = []
            counts = []
            for cell, things in nodes:
                cells.append(cell)
                counts.append(self._total - things.bit_count())
            first, _ = self._spread(hunters[0], len(rounds))
            second, _ = self._spread(hunters[1], len(rounds))
            positions = _Round(
                cells=np.array(cells),
                collected=np.array(counts),
                hunters=(first, second),
            )
            rounds.append(positions)
            if 2 * len(children) >= turns:
                return rounds, children

            rows, next_nodes = self._children(nodes, counts)
            next_first, _ = self._spread(hunters[0], len(rounds))
            next_second, _ = self._spread(hunters[1], len(rounds))
            pairs = len(next_first) * len(next_second)
            work += len(next_nodes) * pairs
            is_too_much = work > MOST_VALUES and len(children) > 0
            if not next_nodes or is_too_much:
                return rounds, children
            children.append(padded(rows))
            nodes = next_nodes

    def _children(
        self,
        nodes: Sequence[Node],
        counts: Sequence[int],
    ) -> tuple[list[list[int]], list[Node]]:
        """Return the children of each node, and the nodes of the next round, to which they point.

        `counts` has the number of things that the runner has in each node.
        """
        index: dict[Node, int] = {}
        rows = []
        for (cell, things), count in zip(nodes, counts, strict=True):
            if count >= self._enough:
                rows.append([0])  # the children of a match that is over play no part
                continue
            row = []
            for next_cell, mask in self._moves[cell]:
                node = (next_cell, things & mask)
                row.append(index.setdefault(node, len(index)))
            rows.append(row)
        return rows, list(index)

    def _spread(self, hunter: int, rounds: int) -> tuple[Ints, Ints]:
        """Return the cells that a hunter can reach in a number of rounds, and the ways to them.

        The ways are an array of shape (ways, cells of the round before): the indices of these
        cells.
        """
        spread = self._spreads.get((hunter, rounds))
        if spread is not None:
            return spread
        if rounds == 0:
            cells = np.array([hunter])
            ways = np.empty((0, 0), dtype=np.intp)
        else:
            cells_before, _ = self._spread(hunter, rounds - 1)
            neighbours = self._neighbours[cells_before]  # (cells before, ways)
            cells = np.unique(neighbours)
            ways = np.searchsorted(cells, neighbours).T
        self._spreads[hunter, rounds] = (cells, ways)
        return cells, ways

    def _leaves(self, last: _Round, turns: int) -> Ints:
        """Return the estimated values of positions behind the last round, with `turns` to play."""
        first, second = last.hunters
        nodes = len(last.cells)
        capture = self._capture[last.cells]  # (nodes, cells, cells)
        capture = capture.take(first, axis=1)
        capture = capture.take(second, axis=2)
        capture = capture.reshape(nodes, -1)  # (nodes, pairs of hunters)

        # A row of scores for each node, by the turns until the capture: a look-up is quicker than
        # arithmetic with all positions.
        turns_until = np.arange(capture.max() + 1)
        turns_left = np.minimum(turns_until, turns)
        moves = (turns_left + 1) // 2  # (turns)
        more = moves * COLLECTED_A_MOVE
        more = more.astype(int)  # (turns)
        most = np.maximum(last.collected, self._enough)
        most = np.minimum(most, self._total)  # (nodes)
        collected = last.collected[:, None] + more  # (nodes, turns)
        collected = np.minimum(collected, most[:, None])
        scores = self._scores[collected]

        row_starts = np.arange(0, scores.size, len(more))  # (nodes)
        indices = capture + row_starts[:, None]  # (nodes, pairs of hunters)
        all_rows = scores.ravel()
        values: Ints = all_rows.take(indices)
        return values.reshape(-1, len(first), len(second))

    def _end(self, positions: _Round, value: Ints) -> None:
        """Replace the values of positions in which the match is over by their scores."""
        scores = self._scores[positions.collected]  # (nodes)
        is_over = positions.collected >= self._enough
        value[is_over] = scores[is_over, None, None]

        first, second = positions.hunters
        runner = positions.cells[:, None]  # (nodes, 1)
        node, hunter = np.nonzero(runner == first)
        value[node, hunter] = scores[node, None]

        node, hunter = np.nonzero(runner == second)
        by_second = value.swapaxes(1, 2)  # (nodes, second hunter, first hunter)
        by_second[node, hunter] = scores[node, None]


def _best_of(
    choose: np.ufunc,
    value: Ints,
    ways: Ints,
    axis: int,
) -> Ints:
    """Return the least or the largest value over all ways, which are indices into an axis.

    It takes each way alone, because numpy reduces an axis of four slowly.
    """
    by_way = [value.take(column, axis=axis) for column in ways]
    return reduce(choose, by_way)
