"""Forks a child that prints empty lines for ever, asked or not."""
import os
from arena.kit import run

if os.fork() == 0:
    while True:
        os.write(1, b'\n' * 65536)
run(lambda turn: turn.legal[0])
