"""Drips a byte at a time and never ends the line."""
import sys, time
from arena.kit import run

def choose(turn):
    while True:
        sys.stdout.write('m'); sys.stdout.flush(); time.sleep(0.01)

run(choose)
