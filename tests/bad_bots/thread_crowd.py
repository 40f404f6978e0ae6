"""Starts a thousand threads."""
import os, sys, time
legal = []
def lines(ready="ready\n"):
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "ready?":
            sys.stdout.write(ready); sys.stdout.flush()
        elif word == "turn":
            legal.clear()
        elif word == "legal":
            legal.append(rest)
        elif word == "go":
            yield rest
import threading
threading.stack_size(65536)
for _ in lines():
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    time.sleep(600)
