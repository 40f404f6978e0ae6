"""Eats memory in many small pieces."""
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
for _ in lines():
    hoard = []
    while True:
        hoard.append(bytes(5000))
