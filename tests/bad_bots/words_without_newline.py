"""Exits with last words that lack their newline."""
import sys
from arena.kit import run

def choose(turn):
    sys.stderr.write('first\nlast words'); sys.exit(4)

run(choose)
