"""Starts a thousand threads."""
import threading, time
from arena.kit import run

threading.stack_size(65536)

def choose(turn):
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    time.sleep(600)

run(choose)
