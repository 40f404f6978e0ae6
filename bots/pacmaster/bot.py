"""Pacman, strong in every role: solves the hunt before it says `ready`; ghosts never err, Pacman plays its moves out.

The hunt is Pacman without pellets: in how many rounds can two ghosts force a capture, whatever Pacman does? As `oracle`
does at the mazes, one asks backwards from the captures which positions lead there by force. Python's long numbers do it
for all places of the ghosts at once: bit `blinky * cells + inky` of a number stands for a pair of places, and a step of
every pair is one shift. A maze takes some milliseconds.

Both ghosts take the same best plan, so they cut off Pacman's ways together without a word. Inky can never catch Pacman
on the ghosts' own turn (everybody must move, and the board is a chequerboard), so a good chase drives Pacman towards
it. The solution has that by itself.

Pacman takes the move that ends best. In these rollouts it is greedy and the ghosts run at it, each a little
differently; what comes of a greedy plan is seen long before it happens, so the bot is better than the plan that it
plays out. It also counts how often the ghosts came nearer: from ghosts that wander there is nothing to foresee, so
before them it just eats.
"""

from collections import defaultdict
from itertools import product
from typing import Any

from arena.kit import Cell, Turn, distances, run

SAFE = 2  # rounds: Pacman avoids cells on which it can be caught within fewer; more caution leaves it hungry
far: dict[Cell, dict[Cell, int]] = {}
number: dict[Cell, int] = {}
"""The cells, counted."""
ghosts_move: list[dict[Cell, int]] = []
"""By rounds, from 0, and Pacman's cell: the pairs from which ghosts that are to move force a capture; then the same
with Pacman to move."""
pacman_moves: list[dict[Cell, int]] = []
steps = {"nearer": 3, "all": 3}  # of the ghosts; they are taken for hunters until they have shown otherwise
before: list[Any] = []
"""The state that the ghosts were left in."""


def prepare(turn: Turn) -> None:
    """Measure the maze, and solve the hunt."""
    far.update(distances(turn.board))
    number.update((cell, index) for index, cell in enumerate(far))
    ways = {cell: [there for there, away in near.items() if away == 1] for cell, near in far.items()}
    cells = len(ways)
    one_inky = (1 << cells) - 1  # every place of inky, with blinky in cell 0
    one_blinky = sum(1 << cells * index for index in range(cells))  # every place of blinky, with inky in cell 0
    leaving: dict[int, int] = defaultdict(int)
    """The pairs of which one ghost can step, by how far the step moves their bits."""
    for cell, index in number.items():
        for there in ways[cell]:
            leaving[number[there] - index] |= one_blinky << index
    inkys = list(leaving.items())
    blinkys = [
        (cells * step, sum(one_inky << cells * index for index in range(cells) if pairs >> index & 1))
        for step, pairs in inkys
    ]
    caught = {cell: one_inky << cells * index | one_blinky << index for cell, index in number.items()}

    def stepping_into(pairs: int) -> int:
        """The pairs from which a step of both ghosts leads into these pairs."""
        for ghost in (inkys, blinkys):
            reached, pairs = pairs, 0
            for step, able in ghost:
                pairs |= (reached >> step if step > 0 else reached << -step) & able
        return pairs

    pacman_moves.append(caught)
    while len(pacman_moves) < 2 or pacman_moves[-1] != pacman_moves[-2]:
        ghosts_move.append({cell: caught[cell] | stepping_into(pairs) for cell, pairs in pacman_moves[-1].items()})
        pacman_moves.append({cell: caught[cell] | all_of(ghosts_move[-1], ways[cell]) for cell in ways})


def all_of(pairs: dict[Cell, int], cells: list[Cell]) -> int:
    """The pairs that belong to all of these cells."""
    both = -1
    for cell in cells:
        both &= pairs[cell]
    return both


def rounds(won: list[dict[Cell, int]], state: Any) -> int:
    """In how many rounds ghosts that never err force a capture; one more than were solved if they cannot."""
    pair = number[state.blinky] * len(number) + number[state.inky]
    return next((count for count, pairs in enumerate(won) if pairs[state.pacman] >> pair & 1), len(won))


def choose(turn: Turn) -> str:
    """The best move of the role."""
    return choose_way(turn) if turn.role == "pacman" else choose_ambush(turn)


def choose_way(turn: Turn) -> str:
    """The move whose rollouts end best, or before wandering ghosts the greedy one, unless it is not safe."""
    game, state = turn.rules, turn.state
    for was in before[-1:]:
        near = far[was.pacman]
        steps["nearer"] += (near[state.blinky] < near[was.blinky]) + (near[state.inky] < near[was.inky])
        steps["all"] += 2
    wandering = steps["nearer"] < 0.7 * steps["all"]

    def worth(move: str) -> tuple[float, float]:
        safe, way = greed(game, state, move)
        after = game.play(state, {"pacman": move})
        return safe, way if wandering else sum(rollout(game, after, lead) for lead in (0, 2, 4)) / 3

    values = {move: worth(move) for move in turn.legal}
    best = max(turn.legal, key=lambda move: values[move])
    before.append(game.play(state, {"pacman": best}))
    turn.remark(f"safe={values[best][0]} wandering={int(wandering)} value={values[best][1]:.1f}")
    return best


def greed(game: Any, state: Any, move: str) -> tuple[int, int]:
    """How safe the next cell is, and how near to food."""
    after = game.play(state, {"pacman": move})
    food = (far[after.pacman][cell] for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1)
    return min(SAFE, rounds(ghosts_move, after)), -min(food, default=0)


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
            greedy = max(game.legal_moves(state, "pacman"), key=lambda move: greed(game, state, move))
            state = game.play(state, {"pacman": greedy})
        else:
            state = game.play(state, hunt(game, state, lead))
    score: float = outcome.scores["pacman"] + state.step / 1000
    return score


def choose_ambush(turn: Turn) -> str:
    """My half of the quickest plan; ties fall the same way for both, so that they agree."""
    game, state = turn.rules, turn.state
    ways = product(game.legal_moves(state, "blinky"), game.legal_moves(state, "inky"))
    plans: list[dict[str, str]] = [dict(zip(("blinky", "inky"), moves, strict=True)) for moves in ways]

    def left(plan: dict[str, str]) -> tuple[int, int]:
        after = game.play(state, plan)
        near = far[after.pacman]
        one, other = sorted((near[after.blinky], near[after.inky]))
        return rounds(pacman_moves, after), one + 2 * other

    best = min(plans, key=left)
    turn.remark(f"rounds={left(best)[0]}")
    return best[turn.role]


run(choose, prepare)
