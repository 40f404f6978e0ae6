"""Double-forks a daemon into a session of its own, and plays on: no fault, but the daemon is gone afterwards."""
import os, time
from arena.kit import run

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
run(lambda turn: turn.legal[0])
