"""Fills its scratch folder with deeply nested folders, and plays on: no fault."""
import os
from arena.kit import run

os.chdir(os.environ['TMPDIR'])
for number in range(2000):
    os.mkdir('d'); os.chdir('d')
run(lambda turn: turn.legal[0])
