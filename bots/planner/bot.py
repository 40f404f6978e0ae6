"""Mummy Maze, lookahead: a few turns of minimax with alpha-beta, then a guess by the lengths of the ways."""

from typing import Any

from arena.kit import Cell, Turn, distances, run

DEPTH = 2  # turns: by depth and not by the clock, so that it plays the same on every machine
far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def guess(game: Any, state: Any) -> float:
    """The explorer's prospects: the mummy far away, the exit near."""
    to_exit, to_mummy = far[state.explorer].get(game.exit, 99), far[state.mummy].get(state.explorer, 99)
    return 50 + to_mummy - 2 * to_exit


def value(game: Any, state: Any, depth: int, low: float, high: float) -> float:
    """What the explorer can expect; a winner hurries, a loser delays."""
    outcome = game.outcome(state)
    if outcome is not None:
        scored: float = 1000 * (outcome.scores["explorer"] - 50) * (1 - state.step / 100) + 50
        return scored
    if depth == 0:
        return guess(game, state)
    explorer = state.step % 2 == 0
    role = "explorer" if explorer else "mummy"
    best = -1e9 if explorer else 1e9
    for after in {game.play(state, {role: move}): None for move in game.legal_moves(state, role)}:
        found = value(game, after, depth - 1, low, high)
        if explorer:
            best = max(best, found)
            low = max(low, best)
        else:
            best = min(best, found)
            high = min(high, best)
        if low >= high:
            break
    return best


def choose(turn: Turn) -> str:
    """The move with the best value; of equals the first."""
    game, state = turn.rules, turn.state
    sign = 1 if turn.role == "explorer" else -1
    landings = {game.play(state, {turn.role: move}): move for move in reversed(turn.legal)}
    values = {move: sign * value(game, after, DEPTH - 1, -1e9, 1e9) for after, move in landings.items()}
    best = max(values, key=lambda move: (values[move], -turn.legal.index(move)))
    turn.remark(f"value={sign * values[best]:.0f}")
    return best


run(choose, prepare)
