"""Fills its scratch folder with deeply nested folders, and plays on: no fault."""
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
path = os.environ['TMPDIR']
os.chdir(path)
for number in range(2000):
    os.mkdir('d'); os.chdir('d')
for _ in lines():
    print(legal[0], flush=True)
