"""What can be forced at Pacman, found with the rules themselves: moves, captures and pellets all come from the game.

It owns three exact searches: every reachable position without pellets, the fewest moves for all pellets without ghosts,
and what one side can force whatever the other does.
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count, product
from typing import Any

from arena.game import Game, Move, Role

State = Any


def joint_moves(game: Game[Any], state: State) -> Iterator[dict[Role, Move]]:
    """Every choice of those who are to move; none once it is over."""
    roles = game.to_move(state)
    if not roles:
        return
    for moves in product(*(game.legal_moves(state, role) for role in roles)):
        yield dict(zip(roles, moves, strict=True))


def positions(game: Game[Any]) -> set[State]:
    """Every position that a match can reach, pellets and counter left aside."""
    seen, frontier = set(), [_bare(game, game.start())]
    seen.update(frontier)
    while frontier:
        here = frontier.pop()
        fresh = {_bare(game, game.play(here, moves)) for moves in joint_moves(game, here)} - seen
        seen |= fresh
        frontier += fresh
    return seen


def moves_for_all_pellets(game: Game[Any]) -> int:
    """The fewest moves with which a Pacman that nobody hunts takes every pellet (A*; its bound is never too high)."""
    tie, start = count(), game.start()
    least, queue = {(start.pacman, start.pellets): 0}, [(_at_least(game, start), next(tie), 0, start)]
    while True:
        _, _, moves, state = heappop(queue)
        if not state.pellets:
            return moves
        for after in _alone(game, state):
            if moves + 1 < least.get((after.pacman, after.pellets), 1000):
                least[after.pacman, after.pellets] = moves + 1
                heappush(queue, (moves + 1 + _at_least(game, after), next(tie), moves + 1, after))


def can_force(game: Game[Any], forcing: str, done: Callable[[State], bool | None], turns: int) -> bool:
    """Whether `forcing` (`pacman` or `ghosts`) brings `done` to True within so many turns, whatever the others do.

    `done` says True or False once it is settled, None before. Ghosts that force see each other's choice: they cooperate
    perfectly. Pacman that forces moves first, and ghosts answer as if they had agreed.
    """
    known: dict[State, bool] = {}

    def forced(state: State, left: int) -> bool:
        settled = done(state)
        if settled is not None or left == 0:
            return bool(settled)
        if state not in known:  # the counter is part of the state, and so are the turns left
            after = (forced(game.play(state, moves), left - 1) for moves in joint_moves(game, state))
            known[state] = any(after) if state.pacman_moves == (forcing == "pacman") else all(after)
        return known[state]

    return forced(game.start(), turns)


def _bare(game: Game[Any], state: State) -> State:
    return state._replace(pellets=game.start().pellets, step=game.start().step)


def _alone(game: Game[Any], state: State) -> Iterator[State]:
    """Where Pacman can be next, the ghosts standing still; `legal_moves` and `play` do not look at who is caught."""
    for move in game.legal_moves(state, "pacman"):
        yield game.play(state, {"pacman": move})._replace(pacman_moves=True)


def _at_least(game: Game[Any], state: State) -> int:
    """Moves that are needed at the least: cells alternate between two colours, and each pellet needs its own move."""
    colour = sum(state.pacman) % 2
    left = [sum(cell) % 2 for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1]
    other, same = left.count(1 - colour), left.count(colour)
    return max(2 * other - 1, 2 * same)
