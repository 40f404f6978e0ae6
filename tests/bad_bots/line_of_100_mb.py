"""Prints a line of 100 MB."""
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
    for _ in range(1600):
        sys.stdout.write('m' * 65536)
    sys.stdout.write('\n'); sys.stdout.flush(); time.sleep(600)
