"""Prints a remark of 60,000 bytes with each move: no fault, its end is cut off."""
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
    print('# ' + 'x' * 60000); print(legal[0], flush=True)
