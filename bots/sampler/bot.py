"""Any game: plays each of its moves on to the end a few times, by throws of the dice, and takes the best mean score."""

from itertools import product
from typing import Any

from arena.kit import Turn, run

PLAYOUTS = 4  # a move: by number and not by the clock, so that it plays the same on every machine
TURNS = 60  # of one playout; what is not over by then counts as a draw


def playout(turn: Turn, state: Any) -> float:
    """Return the score of the bot's role after a match that goes on from this state by throws of the dice."""
    game, dice = turn.rules, turn.random
    for _ in range(TURNS):
        outcome = game.outcome(state)
        if outcome is not None:
            return float(outcome.scores[turn.role])
        moves = {role: dice.choice(game.legal_moves(state, role)) for role in game.to_move(state)}
        state = game.play(state, moves)
    return 50.0


def choose(turn: Turn) -> str:
    """Return the move with the best mean over its playouts; of equals the first."""
    if not turn.states:  # what it cannot see it cannot play on
        return turn.random.choice(turn.legal)
    means = {}
    for move in turn.legal:
        states = [state for _, state in product(range(PLAYOUTS), turn.after(move))]
        means[move] = sum(playout(turn, state) for state in states) / len(states)
    best = max(turn.legal, key=lambda move: means[move])
    turn.remark(f"value={means[best]:.0f}")
    return best


run(choose)
