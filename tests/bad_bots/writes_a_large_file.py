"""Writes one file without end; Python makes an exception of the signal."""
import os
from arena.kit import run

def choose(turn):
    with open(os.path.join(os.environ['TMPDIR'], 'large'), 'wb', buffering=0) as file:
        while file.write(bytes(1_000_000)):
            pass

run(choose)
