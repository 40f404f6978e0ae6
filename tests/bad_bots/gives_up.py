"""Raises SystemExit in the middle of the match."""
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
for number, _ in enumerate(lines()):
    if number == 2:
        raise SystemExit('I give up')
    print(legal[0], flush=True)
