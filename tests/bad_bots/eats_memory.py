"""Eats memory until there is none."""
from arena.kit import run

def choose(turn):
    hoard = []
    while True:
        hoard.append(bytearray(1 << 20))

run(choose)
