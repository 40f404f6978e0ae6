"""Leaves a note in its own folder for its next match: no fault, but there is no note in its next match."""
import os
from arena.kit import run

notes = [name for name in os.listdir('.') if name.endswith('.txt')]
with open('note.txt', 'w') as note:
    note.write('they always go north')
run(lambda turn: notes[0] if notes else turn.legal[0])
