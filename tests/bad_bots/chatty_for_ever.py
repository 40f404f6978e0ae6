"""Prints remarks for ever instead of an answer."""
import time
from arena.kit import run

def choose(turn):
    while True:
        print('# still thinking', flush=True); time.sleep(0.001)

run(choose)
