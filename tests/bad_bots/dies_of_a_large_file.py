"""Writes one file without end, and lets the signal kill it, as programs in most languages do."""
import os, signal
from arena.kit import run

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

def choose(turn):
    with open(os.path.join(os.environ['TMPDIR'], 'large'), 'wb', buffering=0) as file:
        while file.write(bytes(1_000_000)):
            pass

run(choose)
