"""Answers correctly, but too late."""
import time
from arena.kit import run

def choose(turn):
    time.sleep(1.2)
    return turn.legal[0]

run(choose)
