"""Eats memory that is shared, which the limit on its data does not count."""
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
import mmap
for _ in lines():
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 10_000_000, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
        kept[-1].write(b'x' * 10_000_000)
