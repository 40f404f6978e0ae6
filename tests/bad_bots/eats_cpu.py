"""Thinks for ever, at full speed."""
from arena.kit import run

def choose(turn):
    while True:
        pass

run(choose)
