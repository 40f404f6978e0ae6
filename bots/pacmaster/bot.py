"""Pacman, strong in every role: Pacman plays its moves out to the end, and the ghosts search for a joint plan.

Pacman takes the move that ends best. In these rollouts it is greedy and the ghosts run at it, each a little
differently; what comes of a greedy plan is seen long before it happens, so the bot is better than the plan that it
plays out. Two rounds of minimax keep it off cells where capture is certain. It also counts how often the ghosts came
nearer: from ghosts that wander there is nothing to foresee, so before them it just eats.

Both ghosts search the same joint plan, so they cut off Pacman's ways together without a word. Inky can never catch
Pacman on the ghosts' own turn (everybody must move, and the board is a chequerboard), so a good chase drives Pacman
towards it. The search finds that by itself.
"""

from itertools import product
from typing import Any

from arena.kit import Cell, Turn, distances, run

DEPTH = 5  # turns of the ghosts' search, by depth and not by the clock
far: dict[Cell, dict[Cell, int]] = {}
steps = {"nearer": 3, "all": 3}  # of the ghosts; they are taken for hunters until they have shown otherwise
before: list[Any] = []
"""The state that the ghosts were left in."""


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def choose(turn: Turn) -> str:
    """The best move of the role."""
    return choose_way(turn) if turn.role == "pacman" else choose_ambush(turn)


# Pacman


def choose_way(turn: Turn) -> str:
    """The move whose rollouts end best, or before wandering ghosts the greedy one, unless it is doomed."""
    game, state = turn.rules, turn.state
    for was in before[-1:]:
        near = far[was.pacman]
        steps["nearer"] += (near[state.blinky] < near[was.blinky]) + (near[state.inky] < near[was.inky])
        steps["all"] += 2
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


def left(game: Any, state: Any, move: str) -> tuple[int, int]:
    """Whether a ghost reaches the next cell at once, and how far from there it is to food: the less the better."""
    near = far[game.play(state, {"pacman": move}).pacman]
    food = (near[cell] for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1)
    return int(min(near[state.blinky], near[state.inky]) < 2), min(food, default=0)


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
    """Pacman's score when greedy sides play on, a long life breaking ties."""
    while (outcome := game.outcome(state)) is None:
        if state.pacman_moves:
            greedy = min(game.legal_moves(state, "pacman"), key=lambda move: left(game, state, move))
            state = game.play(state, {"pacman": greedy})
        else:
            state = game.play(state, hunt(game, state, lead))
    score: float = outcome.scores["pacman"] + state.step / 1000
    return score


def doomed(game: Any, state: Any, rounds: int) -> bool:
    """Whether the ghosts, to move, can catch Pacman within a number of rounds, whatever it does."""
    if state.pacman in (state.blinky, state.inky):
        return True
    for after, _ in plans(game, state):
        if after.pacman in (after.blinky, after.inky):
            return True
        ways = game.legal_moves(after, "pacman")
        if rounds > 1 and all(doomed(game, game.play(after, {"pacman": way}), rounds - 1) for way in ways):
            return True
    return False


# The ghosts


def choose_ambush(turn: Turn) -> str:
    """My half of the best joint move; ties fall the same way for both, so that they agree."""
    game, state = turn.rules, turn.state
    best, plan = -1e9, {}
    for after, moves in plans(game, state):
        found = value(game, after, DEPTH - 1, best, 1e9)
        if found > best:
            best, plan = found, moves
    turn.remark(f"value={best:.0f}")
    return plan[turn.role]


def plans(game: Any, state: Any) -> list[tuple[Any, dict[str, str]]]:
    """The states that a turn can lead to, with the moves."""
    roles = game.to_move(state)
    choices = [[(role, move) for move in game.legal_moves(state, role)] for role in roles]
    if not roles:
        return []
    return [(game.play(state, dict(moves)), dict(moves)) for moves in product(*choices)]


def value(game: Any, state: Any, depth: int, low: float, high: float) -> float:
    """How good a state is for the ghosts: a capture, the sooner the better, or to be near."""
    if state.pacman in (state.blinky, state.inky):
        return 1000.0 + depth
    if depth == 0 or game.outcome(state) is not None:
        near = far[state.pacman]
        return -2.0 * max(near[state.blinky], near[state.inky]) - min(near[state.blinky], near[state.inky])
    best = 1e9 if state.pacman_moves else -1e9
    for after, _ in plans(game, state):
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


run(choose, prepare)
