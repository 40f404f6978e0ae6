"""Ends with a traceback and exit code 3."""
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
import traceback
for _ in lines():
    try:
        {}['the missing key']
    except KeyError:
        traceback.print_exc(); os._exit(3)
