"""Eats memory in many small pieces."""
from arena.kit import run

def choose(turn):
    hoard = []
    while True:
        hoard.append(bytes(5000))

run(choose)
