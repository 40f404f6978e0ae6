"""Mummy Maze, exact: solves the whole maze backwards from its ends while it says `ready`, then never errs.

A position is (explorer, mummy, whose turn). From the ends one asks: which positions lead there by force? That is
retrograde analysis; it gives each position its winner and how many turns the winner needs.
"""

from collections import deque
from typing import Any

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}
solved: dict[Any, tuple[str, int]] = {}
"""For each position that somebody wins: who, and in how many turns."""


def position(state: Any) -> Any:
    """A state without its counter, but with whose turn it is."""
    return state if state.step < 2 else state._replace(step=state.step % 2)


def prepare(turn: Turn) -> None:
    """Solve every position that can come up."""
    game = turn.rules
    far.update(distances(turn.board))
    children = explore(game, position(game.start()))
    parents: dict[Any, list[Any]] = {node: [] for node in children}
    for node, below in children.items():
        for child in below:
            parents[child].append(node)
    open_ways = {node: len(below) for node, below in children.items()}
    queue = deque(node for node, below in children.items() if not below)
    for node in queue:
        solved[node] = (winner(game, node), 0)
    while queue:  # breadth first, so that the first word on a position is the quickest win or the slowest loss
        node = queue.popleft()
        who, turns = solved[node]
        for parent in parents[node]:
            open_ways[parent] -= 1
            mover = "explorer" if parent.step == 0 else "mummy"
            if parent not in solved and (who == mover or open_ways[parent] == 0):
                solved[parent] = (who, turns + 1)
                queue.append(parent)


def explore(game: Any, start: Any) -> dict[Any, set[Any]]:
    """Every position that can be reached, with those that it leads to; an end leads nowhere."""
    children: dict[Any, set[Any]] = {}
    todo = [start]
    while todo:
        node = todo.pop()
        if node in children:
            continue
        children[node] = set()
        if game.outcome(node) is None:
            role = "mummy" if node.step else "explorer"
            landings = {game.play(node, {role: move}) for move in game.legal_moves(node, role)}
            children[node] = {position(after) for after in landings}
            todo += children[node]
    return children


def winner(game: Any, node: Any) -> str:
    """Who has won at an end."""
    return "explorer" if game.outcome(node).scores["explorer"] == 100 else "mummy"


def choose(turn: Turn) -> str:
    """Win as soon as possible, else keep the draw, else lose as late as possible; of equals the shortest way."""
    game, state = turn.rules, turn.state

    def worth(move: str) -> tuple[int, int, int]:
        after = game.play(state, {turn.role: move})
        goal = game.exit if turn.role == "explorer" else after.explorer
        way = -far[getattr(after, turn.role)].get(goal, 99)
        who, turns = solved.get(position(after), ("nobody", 0))
        if who == "nobody" or after.step + turns > game.steps:
            return (0, 0, way)
        return (1, -turns, way) if who == turn.role else (-1, turns, way)

    best = max(turn.legal, key=worth)
    result, turns, _ = worth(best)
    turn.remark(f"result={result} turns={abs(turns)}")
    return best


run(choose, prepare)
