"""Fills its scratch folder with files that are small enough each."""
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
    for number in range(100):
        with open(os.path.join(os.environ['TMPDIR'], str(number)), 'wb') as file:
            file.write(os.urandom(1_000_000))
    print(legal[0], flush=True)
