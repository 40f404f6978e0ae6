"""Raises SystemExit in the middle of the match."""
from arena.kit import run

def choose(turn):
    if turn.number >= 3:
        raise SystemExit('I give up')
    return turn.legal[0]

run(choose)
