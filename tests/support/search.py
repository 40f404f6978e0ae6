"""Exact searches at Pacman with the rules themselves: every move, landing and catch comes from the
game.

It owns three questions: what can be forced, how few moves take every pellet, which positions can be
met.
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count, product
from typing import Any

from arena.game import Game, Move, Role

Cell = tuple[int, int]
GHOSTS = ("blinky", "inky")


def forces(
    game: Game[Any],
    side: tuple[Role, ...],
    goal: Callable[[Any], bool],
    turns: int,
    far: Callable[[Any], int] = lambda _: 0,
) -> bool:
    """Whether a side, choosing together, reaches `goal` within this number of turns whatever the
    others do.

    `far` guesses how far a state is from the goal. The answer does not depend on it: it orders the
    search, which ends sooner when the side tries what leads near the goal first, and the others
    what leads away.
    """
    enough: dict[
        Any, int
    ] = {}  # turns within which the side reaches the goal from a state, and does not
    too_few: dict[Any, int] = {}

    def reaches(state: Any, left: int) -> bool:
        if goal(state):
            return True
        if left == 0 or game.outcome(state) is not None:
            return False
        if left >= enough.get(state, turns + 1):
            return True
        if left > too_few.get(state, 0):
            chooses = game.to_move(state)[0] in side
            ordered = sorted(after(game, state), key=far, reverse=not chooses)
            if (any if chooses else all)(reaches(then, left - 1) for then in ordered):
                enough[state] = left
                return True
            too_few[state] = left
        return False

    return reaches(game.start(), turns)


def after(game: Game[Any], state: Any) -> Iterator[Any]:
    """The states that follow; roles that choose at once are taken together."""
    roles = game.to_move(state)
    if not roles:
        return
    for moves in product(*(game.legal_moves(state, role) for role in roles)):
        yield game.play(state, dict(zip(roles, moves, strict=True)))


def fewest_moves_for_all_pellets(game: Game[Any]) -> int:
    """The fewest moves that take every pellet when the ghosts stay away: A* with a bound that never
    says too much.

    Cells are coloured like a chessboard and every step changes the colour, so that the pellets of
    one colour take at least every second step.
    """
    start = game.start()
    best, order = {(start.pacman, start.pellets): 0}, count()
    colours = [
        sum(1 << bit for bit, cell in enumerate(game.pellets) if sum(cell) % 2 == colour)
        for colour in (0, 1)
    ]

    def at_least(state: Any) -> int:
        here = sum(state.pacman) % 2
        same, other = ((state.pellets & colours[colour]).bit_count() for colour in (here, 1 - here))
        return max(2 * same, 2 * other - 1, 0)

    frontier = [(at_least(start), next(order), start)]
    while frontier:
        _, _, state = heappop(frontier)
        moves = best[state.pacman, state.pellets]
        if not state.pellets:
            return moves
        for move in game.legal_moves(state, "pacman"):
            then = game.play(state, {"pacman": move})._replace(pacman_moves=True, step=state.step)
            if moves + 1 < best.get((then.pacman, then.pellets), 10**9):
                best[then.pacman, then.pellets] = moves + 1
                heappush(frontier, (moves + 1 + at_least(then), -next(order), then))
    raise AssertionError("a pellet cannot be reached")


def positions(game: Game[Any]) -> set[Any]:
    """Every position that can be met, whatever is left to eat; the counter stands still."""
    first = game.start()
    seen, frontier = {first}, [first]
    while frontier:
        for then in after(game, frontier.pop()):
            place = then._replace(pellets=first.pellets, step=first.step)
            if place not in seen:
                seen.add(place)
                frontier.append(place)
    return seen


def walk(game: Game[Any], state: Any, *turns: Move | tuple[Move, Move]) -> Any:
    """The state after these turns: Pacman's move is one word, the ghosts' are two, without the
    `move`.
    """
    for turn in turns:
        said = {"pacman": turn} if isinstance(turn, str) else dict(zip(GHOSTS, turn, strict=True))
        state = game.play(state, {role: f"move {way}" for role, way in said.items()})
    return state
