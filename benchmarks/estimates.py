"""Compares searches that could grade Pacman's moves: what each costs, and how far it is from a much
deeper one.

    python benchmarks/estimates.py [POSITIONS]

prints the table in arena/games/pursuit.py. With 25 positions a board it takes half a minute of CPU
time.
"""

import random
import sys
import time
from collections.abc import Callable
from itertools import product
from typing import Any
from unittest.mock import patch

from arena import rulefile
from arena.game import Game
from arena.games import pursuit, rulebook

DEEP = 30 * pursuit.MOST_VALUES
ROUNDS = 3
"""Rounds of the minimax; a fourth would cost ten times as much."""

Search = Callable[[Any], dict[str, int]]
"""Return the score of each move of Pacman in a state."""


def minimax(game: Game[Any]) -> Search:
    """Return a search of ROUNDS rounds by the rules alone; behind them Pacman keeps the score that
    it has.
    """

    def value(state: Any, turns: int, low: int, high: int) -> int:
        if turns == 0 or game.outcome(state) is not None:
            return game.score[len(game.pellets) - state.pellets.bit_count()]
        roles = game.to_move(state)
        for moves in product(*(game.legal_moves(state, role) for role in roles)):
            score = value(
                game.play(state, dict(zip(roles, moves, strict=True))), turns - 1, low, high
            )
            if roles == ("pacman",):
                low = max(low, score)
            else:
                high = min(high, score)
            if low >= high:
                break
        return low if roles == ("pacman",) else high

    def search(state: Any) -> dict[str, int]:
        after = {
            move: game.play(state, {"pacman": move}) for move in game.legal_moves(state, "pacman")
        }
        return {move: value(then, 2 * ROUNDS - 1, 0, 100) for move, then in after.items()}

    return search


def estimate(game: Game[Any], most: int, collected: float) -> Search:
    """Return the search of the rules, with a number of values and a share collected behind the last
    round.
    """
    worth = game.estimate()

    def search(state: Any) -> dict[str, int]:
        with patch.multiple(pursuit, MOST_VALUES=most, COLLECTED_A_MOVE=collected):
            return {move: value.score for move, value in worth(state, "pacman").items()}

    return search


def positions(game: Game[Any], count: int) -> list[Any]:
    """Return positions of matches that all roles played by dice, with Pacman to move."""
    dice, states = random.Random(1), list[Any]()
    while len(states) < 4 * count:
        state = game.start()
        while roles := game.to_move(state):
            states += [state] if state.pacman_moves else []
            state = game.play(
                state, {role: dice.choice(game.legal_moves(state, role)) for role in roles}
            )
    return dice.sample(states, count)


def main(count: int) -> None:
    """Print a row for each search."""
    rules = rulefile.shipped() / "pacman.py"
    sampled = rulebook.find("pacman/random:2", seed=1)[0].sampled
    games = [rulefile.load(rules, name) for name in ("classic", "published")]
    games += [rulefile.load_sampled(rules, text) for text in sampled]
    known = [(game, positions(game, count)) for game in games]
    deep = [[estimate(game, DEEP, 0.5)(state) for state in states] for game, states in known]
    chosen = pursuit.MOST_VALUES
    designs: dict[str, Callable[[Game[Any]], Search]] = {f"minimax, {ROUNDS} rounds": minimax}
    for most in (chosen // 5, chosen, chosen * 4):
        for collected in (0.0, 0.3, 0.5, 0.7, 1.0):
            designs[f"{most} values, {collected} a move"] = (
                lambda game, most=most, collected=collected: estimate(game, most, collected)
            )
    for name, design in designs.items():
        errors, agreed, seconds = [], 0, 0.0
        for (game, states), references in zip(known, deep, strict=True):
            search = design(game)
            for state, reference in zip(states, references, strict=True):
                before = time.process_time()
                scores = search(state)
                seconds += time.process_time() - before
                best, most_score = max(scores.values()), max(reference.values())
                errors += [
                    abs((best - scores[move]) - (most_score - reference[move])) for move in scores
                ]
                agreed += reference[max(scores, key=lambda move: scores[move])] == most_score
        total = count * len(known)
        print(
            f"{name:>30}  {1000 * seconds / total:6.1f} ms of CPU a position, error "
            f"{sum(errors) / len(errors):.2f} "
            f"points, a best move in {100 * agreed / total:.0f} %"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
