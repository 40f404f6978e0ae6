"""Prints a debug line before its move."""
from arena.kit import run

def choose(turn):
    print('thinking about', len(turn.legal), 'moves')
    return turn.legal[0]

run(choose)
