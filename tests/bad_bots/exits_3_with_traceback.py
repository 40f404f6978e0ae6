"""Ends with a traceback and exit code 3."""
import os, traceback
from arena.kit import run

def choose(turn):
    try:
        {}['the missing key']
    except KeyError:
        traceback.print_exc(); os._exit(3)

run(choose)
