"""Pacman, strong: plays every move out to the end of the match in its head, and takes the one that ends best.

In these rollouts Pacman is greedy and the ghosts run at it, each a little differently; what comes of a greedy plan is
seen long before it happens, so the bot is better than the plan that it plays out. Two rounds of minimax keep it off
cells where capture is certain. It also counts how often the ghosts came nearer: from ghosts that wander there is
nothing to foresee, so before them it just eats.
"""

from typing import Any

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}
steps = {"nearer": 3, "all": 3}  # of the ghosts; they are taken for hunters until they have shown otherwise
before: list[Any] = []
"""The state that the ghosts were left in."""


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def watch(state: Any) -> None:
    """Count the ghosts' last steps, and those of them that came nearer to Pacman."""
    for was in before[-1:]:
        near = far[was.pacman]
        steps["nearer"] += (near[state.blinky] < near[was.blinky]) + (near[state.inky] < near[was.inky])
        steps["all"] += 2


def left(game: Any, state: Any, move: str) -> tuple[int, int]:
    """Whether a ghost reaches the next cell at once, and how far from there it is to food: the less the better."""
    near = far[game.play(state, {"pacman": move}).pacman]
    food = (near[cell] for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1)
    return int(min(near[state.blinky], near[state.inky]) < 2), min(food, default=0)


def eat(game: Any, state: Any) -> str:
    """Greedy Pacman: to the nearest food, off cells that a ghost reaches at once."""
    move: str = min(game.legal_moves(state, "pacman"), key=lambda move: left(game, state, move))
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
    """Whether the ghosts, to move, can catch Pacman within a number of rounds, whatever it does."""
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
    """The move whose rollouts end best, or before wandering ghosts the greedy one, unless it is doomed."""
    game, state = turn.rules, turn.state
    watch(state)
    wandering = steps["nearer"] < 0.7 * steps["all"]

    def worth(move: str) -> tuple[float, ...]:
        after = game.play(state, {"pacman": move})
        safe = not doomed(game, after, 2)
        if wandering:
            danger, way = left(game, state, move)
            return safe, -danger, -way
        return safe, sum(rollout(game, after, lead) for lead in (0, 2, 4)) / 3

    values = {move: worth(move) for move in turn.legal}
    best = max(turn.legal, key=lambda move: values[move])
    before.append(game.play(state, {"pacman": best}))
    turn.remark(f"safe={int(values[best][0])} wandering={int(wandering)} value={values[best][-1]:.1f}")
    return best


run(choose, prepare)
