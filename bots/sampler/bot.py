"""Any game: plays each of its moves on to the end a few times, by throws of the dice, and takes the best mean score."""

from math import prod
from statistics import fmean
from typing import Any

from arena.kit import Turn, run

PLAYOUTS = 4  # of a move, for each state that may be meant and each reply that roles at once may give
TURNS = 60  # of one playout; what is not over by then counts as a draw
WORK = 50_000
"""Turns and legal moves of an answer: by number and not by the clock, so that it plays the same on every machine.

Of OpenSpiel's chess, where a playout of each move takes most of them, 50,000 are 0.3 s. On a board with that many moves
that not each of them can have a playout it chooses among those that had one."""


def drawn(turn: Turn, state: Any) -> tuple[dict[str, str], int]:
    """Return a move of each role that is to move, by throws of the dice, and the work that this was."""
    legal = {role: turn.rules.legal_moves(state, role) for role in turn.rules.to_move(state)}
    return {role: turn.random.choice(moves) for role, moves in legal.items()}, 1 + sum(map(len, legal.values()))


def playout(turn: Turn, state: Any) -> tuple[float, int]:
    """Return the score of the bot's role after a match that goes on from this state by the dice, and the work."""
    work = 0
    for _ in range(TURNS):
        outcome = turn.rules.outcome(state)
        if outcome is not None:
            return float(outcome.scores[turn.role]), work
        moves, more = drawn(turn, state)
        state, work = turn.rules.play(state, moves), work + more
    return 50.0, work


def choose(turn: Turn) -> str:
    """Return the move with the best mean over its playouts; of equals the first."""
    states = turn.states
    if not states:  # what it cannot see it cannot play on
        return turn.random.choice(turn.legal)
    others = [role for role in turn.rules.to_move(states[0]) if role != turn.role]
    replies = prod(len(turn.rules.legal_moves(states[0], role)) for role in others)
    scores: dict[str, list[float]] = {}
    work = 0
    for _ in range(PLAYOUTS * len(states) * replies):
        for move in turn.random.sample(turn.legal, len(turn.legal)):
            if work >= WORK:
                break
            state = turn.random.choice(states)
            moves, listed = drawn(turn, state)
            score, more = playout(turn, turn.rules.play(state, {**moves, turn.role: move}))
            scores.setdefault(move, []).append(score)
            work += listed + more
    means = {move: fmean(scores[move]) for move in turn.legal if move in scores}
    best = max(means, key=lambda move: means[move])
    turn.remark(f"value={means[best]:.0f}")
    return best


def prepare(turn: Turn) -> None:
    """Load the rules and find the first states, which may take long after hidden deals, before the clock runs."""
    turn.states  # noqa: B018  the kit remembers them


run(choose, prepare)
