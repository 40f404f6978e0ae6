"""Pacman, strong: plays every move out to the end of the match in its head, and takes the one that ends best.

In these rollouts Pacman is greedy and the ghosts run at it, each a little differently; what comes of a greedy plan is
seen long before it happens, so the bot is better than the plan that it plays out. Two rounds of minimax keep it off
cells where capture is certain.
"""

from typing import Any

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def eat(game: Any, state: Any) -> str:
    """Greedy Pacman: to the nearest food, off cells that a ghost reaches at once, away from ghosts otherwise."""
    food = [cell for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1]

    def left(move: str) -> tuple[int, int]:
        near = far[game.play(state, {"pacman": move}).pacman]
        danger = min(near[state.blinky], near[state.inky])
        return int(danger < 2), min((near[cell] for cell in food), default=0)

    move: str = min(game.legal_moves(state, "pacman"), key=left)
    return move


def hunt(game: Any, state: Any, lead: int) -> dict[str, str]:
    """Greedy ghosts: blinky runs at Pacman; inky too, or (`lead`) at a cell beyond it, to cut it off."""
    near, moves = far[state.pacman], {}
    beyond = [cell for cell, steps in near.items() if steps == lead]
    for role in ("blinky", "inky"):
        here = getattr(state, role)
        aim = min(beyond, key=lambda cell: far[here][cell]) if role == "inky" else state.pacman
        options = game.legal_moves(state, role)
        other = "inky" if role == "blinky" else "blinky"
        still = game.legal_moves(state, other)[0]
        landed = [getattr(game.play(state, {role: move, other: still}), role) for move in options]
        steps = [far[cell][aim] for cell in landed]
        moves[role] = options[steps.index(min(steps))]
    return moves


def rollout(game: Any, state: Any, lead: int) -> float:
    """Pacman's score when both sides play on like that, a long life breaking ties."""
    while (outcome := game.outcome(state)) is None:
        state = game.play(state, {"pacman": eat(game, state)} if state.pacman_moves else hunt(game, state, lead))
    score: float = outcome.scores["pacman"] + state.step / 1000
    return score


def doomed(game: Any, state: Any, rounds: int) -> bool:
    """Whether the ghosts, to move, can catch Pacman within so many rounds, whatever it does."""
    if state.pacman in (state.blinky, state.inky):
        return True
    for one in game.legal_moves(state, "blinky"):
        for two in game.legal_moves(state, "inky"):
            after = game.play(state, {"blinky": one, "inky": two})
            if after.pacman in (after.blinky, after.inky):
                return True
            ways = game.legal_moves(after, "pacman")
            if rounds > 1 and all(doomed(game, game.play(after, {"pacman": way}), rounds - 1) for way in ways):
                return True
    return False


def choose(turn: Turn) -> str:
    """The move whose rollouts end best, unless it is doomed."""
    game, state = turn.rules, turn.state

    def worth(move: str) -> tuple[bool, float]:
        after = game.play(state, {"pacman": move})
        return not doomed(game, after, 2), sum(rollout(game, after, lead) for lead in (0, 2, 4))

    values = {move: worth(move) for move in turn.legal}
    best = max(turn.legal, key=lambda move: values[move])
    turn.remark(f"value={values[best][1] / 3:.1f} safe={int(values[best][0])}")
    return best


run(choose, prepare)
