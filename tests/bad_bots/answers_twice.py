"""Answers every question twice: its own doing, the second is thrown away or taken for the next."""
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
    sys.stdout.write(legal[0] + '\n' + legal[0] + '\n'); sys.stdout.flush()
