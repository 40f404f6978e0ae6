"""Writes a legal answer byte by byte, slower than its time."""
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
    for byte in legal[0] + '\n':
        sys.stdout.write(byte); sys.stdout.flush(); time.sleep(0.2)
