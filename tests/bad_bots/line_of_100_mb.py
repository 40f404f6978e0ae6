"""Prints a line of 100 MB."""
import sys, time
from arena.kit import run

def choose(turn):
    for _ in range(1600):
        sys.stdout.write('m' * 65536)
    sys.stdout.write('\n'); sys.stdout.flush(); time.sleep(600)

run(choose)
