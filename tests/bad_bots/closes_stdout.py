"""Closes its stdout and lives on."""
import os, time
from arena.kit import run

def choose(turn):
    os.close(1); time.sleep(600)

run(choose)
