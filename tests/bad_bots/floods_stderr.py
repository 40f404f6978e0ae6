"""Floods stderr and plays on: no fault."""
import sys
from arena.kit import run

def choose(turn):
    sys.stderr.write('noise ' * 50000 + '\n')
    return turn.legal[0]

run(choose)
