"""Prints its move without a newline, and waits."""
import sys, time
from arena.kit import run

def choose(turn):
    sys.stdout.write(turn.legal[0]); sys.stdout.flush(); time.sleep(600)

run(choose)
