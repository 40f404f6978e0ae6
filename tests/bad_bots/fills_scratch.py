"""Fills its scratch folder with files that are small enough each."""
import os
from arena.kit import run

def choose(turn):
    for number in range(100):
        with open(os.path.join(os.environ['TMPDIR'], str(number)), 'wb') as file:
            file.write(os.urandom(1_000_000))
    return turn.legal[0]

run(choose)
