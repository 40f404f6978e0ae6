"""Prints a line of 70,000 bytes, newline and all."""
import time
from arena.kit import run

def choose(turn):
    print('m' * 70000, flush=True); time.sleep(600)

run(choose)
