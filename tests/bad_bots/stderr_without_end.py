"""Writes to its log without end."""
import os
from arena.kit import run

def choose(turn):
    while True:
        os.write(2, b'noise ' * 10_000)

run(choose)
