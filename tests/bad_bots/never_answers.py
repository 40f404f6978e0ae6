"""Says ready, then nothing."""
import time
from arena.kit import run

def choose(turn):
    time.sleep(600)

run(choose)
