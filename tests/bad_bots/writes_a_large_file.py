"""Writes one file without end; Python makes an exception of the signal."""
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
    with open(os.path.join(os.environ['TMPDIR'], 'large'), 'wb', buffering=0) as file:
        while file.write(bytes(1_000_000)):
            pass
