"""Prints remarks as fast as it can."""
import sys
from arena.kit import run

def choose(turn):
    while True:
        sys.stdout.write(('# ' + 'x' * 500 + '\n') * 100)

run(choose)
