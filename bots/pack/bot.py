"""Ghosts, strong: both search the same joint plan, so they cut off Pacman's ways together without a word.

Inky can never catch Pacman on the ghosts' own turn (everybody must move, and the board is a chequerboard), so a good
chase drives Pacman towards it. The search finds that by itself.
"""

from typing import Any

from arena.kit import Cell, Turn, distances, run

DEPTH = 5  # turns, by depth and not by the clock
far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def options(game: Any, state: Any) -> list[Any]:
    """The states that a turn can lead to, with the moves."""
    if state.pacman_moves:
        return [
            (game.play(state, moves), moves) for m in game.legal_moves(state, "pacman") for moves in [{"pacman": m}]
        ]
    joint = [
        {"blinky": one, "inky": two}
        for one in game.legal_moves(state, "blinky")
        for two in game.legal_moves(state, "inky")
    ]
    return [(game.play(state, moves), moves) for moves in joint]


def value(game: Any, state: Any, depth: int, low: float, high: float) -> float:
    """How good a state is for the ghosts: a capture, the sooner the better, or to be near."""
    if state.pacman in (state.blinky, state.inky):
        return 1000.0 + depth
    if depth == 0 or game.outcome(state) is not None:
        near = far[state.pacman]
        return -2.0 * max(near[state.blinky], near[state.inky]) - min(near[state.blinky], near[state.inky])
    best = 1e9 if state.pacman_moves else -1e9
    for after, _ in options(game, state):
        found = value(game, after, depth - 1, low, high)
        if state.pacman_moves:
            best = min(best, found)
            high = min(high, best)
        else:
            best = max(best, found)
            low = max(low, best)
        if low >= high:
            break
    return best


def choose(turn: Turn) -> str:
    """My half of the best joint move; ties fall the same way for both, so that they agree."""
    game, state = turn.rules, turn.state
    best, plan = -1e9, {}
    for after, moves in options(game, state):
        found = value(game, after, DEPTH - 1, best, 1e9)
        if found > best:
            best, plan = found, moves
    turn.remark(f"value={best:.0f}")
    move: str = plan[turn.role]
    return move


run(choose, prepare)
