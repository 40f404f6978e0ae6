"""Forks children that hold its pipes, and dies."""
import os, time
from arena.kit import run

def choose(turn):
    for _ in range(3):
        if os.fork() == 0:
            time.sleep(600)
    os._exit(0)

run(choose)
