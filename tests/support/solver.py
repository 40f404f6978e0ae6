"""Perfect play at Mummy Maze, found with the rules themselves: the moves, landings and ends all
come from the game.

It owns backward induction and nothing of the rules. It asks the game once for the placements that
each placement leads to (they do not depend on the counter), then counts the turns that are left up
from none.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

from arena.game import Game, Role

Cell = tuple[int, int]
Placement = tuple[Cell, Cell]
"""Where the explorer and the mummy stand."""

FAR = 1000
"""The worth of an explorer that has escaped; each turn before it costs 1. A mummy's win is the same
below 0."""


class Solution:
    """What every placement with the explorer to move is worth, with all the turns of the board
    still to play.
    """

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.cells = cells_in_play(game)
        self.worth = _induce(game, self.cells)

    def value(self, explorer: Cell, mummy: Cell) -> tuple[int, int]:
        """The explorer's score under perfect play, and after how many turns the match ends."""
        worth = self.worth[explorer, mummy]
        if worth == 0:
            return 50, self.game.steps
        return (100 if worth > 0 else 0), FAR - abs(worth)

    def count(self) -> dict[int, int]:
        """How many placements end with each score of the explorer."""
        values = [self.value(*placement)[0] for placement in placements(self.game)]
        return {score: values.count(score) for score in (0, 50, 100)}


def placements(game: Game[Any]) -> Iterator[Placement]:
    """Both in play on different cells, the explorer not on the exit."""
    for explorer, mummy in product(cells_in_play(game), repeat=2):
        if explorer not in (mummy, game.exit):
            yield explorer, mummy


def cells_in_play(game: Game[Any]) -> tuple[Cell, ...]:
    """The cells that the explorer can walk to from where it starts, with no mummy in its way."""
    start = game.start()
    seen, frontier = {start.explorer}, [start.explorer]
    while frontier:
        here = start._replace(explorer=frontier.pop())
        fresh = {
            game.play(here, {"explorer": move}).explorer
            for move in game.legal_moves(here, "explorer")
        } - seen
        seen |= fresh
        frontier += fresh
    return tuple(sorted(seen))


def successors(game: Game[Any], placement: Placement, role: Role) -> set[Placement]:
    """The placements that `role`, which is to move, can bring about."""
    state = game.start()._replace(
        explorer=placement[0], mummy=placement[1], step=0 if role == "explorer" else 1
    )
    after = [game.play(state, {role: move}) for move in game.legal_moves(state, role)]
    return {(state.explorer, state.mummy) for state in after}


def _induce(game: Game[Any], cells: tuple[Cell, ...]) -> dict[Placement, int]:
    """The worth of each placement: the more, the better for the explorer. A winner hurries, a loser
    delays.
    """
    every = list(product(cells, cells))
    over = {one: worth for one in every if (worth := _ended(game, one, 0)) is not None}
    open_ones = [one for one in every if one not in over]
    after = _after(
        replace(game, steps=2), tuple(open_ones)
    )  # the same for boards that differ in their turns only
    worth, settled = (
        {one: _ended(game, one, game.steps) or 0 for one in every},
        dict[Placement, int](),
    )
    for left in range(1, game.steps + 1):
        role, best = ("mummy", min) if (game.steps - left) % 2 else ("explorer", max)
        fresh = {one: best([worth[then] for then in after[role][one]]) for one in open_ones}
        worth = over | {one: value - (value > 0) + (value < 0) for one, value in fresh.items()}
        if role == "explorer":
            if worth == settled:  # two turns more change nothing, so that no number of turns does
                break
            settled = worth
    return worth


@cache
def _after(
    game: Game[Any], open_ones: tuple[Placement, ...]
) -> dict[Role, dict[Placement, tuple[Placement, ...]]]:
    """The placements that each role can bring about from each placement."""
    return {
        role: {one: tuple(successors(game, one, role)) for one in open_ones} for role in game.roles
    }


def _ended(game: Game[Any], placement: Placement, step: int) -> int | None:
    """The worth of a placement where the rules say that the match is over at this step."""
    outcome = game.outcome(
        game.start()._replace(explorer=placement[0], mummy=placement[1], step=step)
    )
    return None if outcome is None else (outcome.scores["explorer"] - 50) * FAR // 50
