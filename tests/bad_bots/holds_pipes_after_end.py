"""Leaves a child that holds its pipes at the end of the match: no fault."""
import os, time
from arena.kit import run

if os.fork() == 0:
    time.sleep(600)
run(lambda turn: turn.legal[0])
