"""Mummy Maze, greedy: takes the shortest way, and never asks what the other will do about it."""

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def choose(turn: Turn) -> str:
    """The move after which the way is shortest: to the exit for the explorer, to the explorer for the mummy."""

    def left(move: str) -> int:
        (after,) = turn.after(move)
        goal = turn.rules.exit if turn.role == "explorer" else after.explorer
        return far[getattr(after, turn.role)].get(goal, 99)

    return min(turn.legal, key=left)


run(choose, prepare)
