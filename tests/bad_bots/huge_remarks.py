"""Prints a remark of 60,000 bytes with each move: no fault, its end is cut off."""
from arena.kit import run

def choose(turn):
    turn.remark('x' * 60000)
    return turn.legal[0]

run(choose)
