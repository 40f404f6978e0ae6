"""Forks fifty children and plays on: no fault yet, but all of them are gone afterwards."""
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
for _ in range(50):
    if os.fork() == 0:
        time.sleep(600); os._exit(0)
for _ in lines():
    print(legal[0], flush=True)
