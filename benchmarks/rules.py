"""How many turns a second the rules play on one core, by board: `python benchmarks/rules.py`.

A turn is `to_move`, `legal_moves` for each role to move, `play` and `outcome`, in random playouts
from the start. The dice are thrown beforehand, so that they cost nothing here.
"""

from collections.abc import Iterator
from itertools import cycle
from random import Random
from time import perf_counter
from typing import Any

from tables import print_table

from arena.game import Game
from arena.games import rulebook

SECONDS = 0.5
"""For each try; the best of three counts, because other programs can only slow a try down."""
DICE = tuple(Random(1).randrange(10**6) for _ in range(10_007))


def turns_a_second(game: Game[Any]) -> float:
    """The best of three tries of random playouts."""
    return max(_try(game) for _ in range(3))


def _try(game: Game[Any]) -> float:
    turns, began, dice = 0, perf_counter(), cycle(DICE)
    while perf_counter() - began < SECONDS:
        turns += _playout(game, dice)
    return turns / (perf_counter() - began)


def _playout(game: Game[Any], dice: Iterator[int]) -> int:
    to_move, legal_moves, play, outcome = game.to_move, game.legal_moves, game.play, game.outcome
    state, turns = game.start(), 0
    while outcome(state) is None:
        moves = {}
        for role in to_move(state):
            legal = legal_moves(state, role)
            moves[role] = legal[next(dice) % len(legal)]
        state = play(state, moves)
        turns += 1
    return turns


def rows() -> Iterator[list[str]]:
    """Yield a row for each board."""
    for board in rulebook.all_boards():
        yield [f"`{board.label}`", f"{turns_a_second(rulebook.game_of(board)):,.0f}"]


if __name__ == "__main__":
    print_table("The rules alone, best of three tries", ["board", "turns a second"], rows())
