"""Forks twenty children and plays on: no fault yet, but all of them are gone afterwards."""
import os, time
from arena.kit import run

for _ in range(20):
    if os.fork() == 0:
        time.sleep(600); os._exit(0)
run(lambda turn: turn.legal[0])
