"""Leaves a note in its own folder for its next match: no fault, but there is no note in its next match."""
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
notes = [name for name in os.listdir('.') if name.endswith('.txt')]
with open('note.txt', 'w') as note:
    note.write('they always go north')
for _ in lines():
    print(notes or legal[0], flush=True)
