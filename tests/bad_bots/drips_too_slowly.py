"""Writes a legal answer byte by byte, slower than its time."""
import sys, time
from arena.kit import run

def choose(turn):
    for byte in turn.legal[0] + '\n':
        sys.stdout.write(byte); sys.stdout.flush(); time.sleep(0.2)

run(choose)
