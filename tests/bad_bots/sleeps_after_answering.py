"""Answers once and falls asleep."""
import time
from arena.kit import run

def choose(turn):
    print(turn.legal[0], flush=True); time.sleep(600)

run(choose)
