"""Prints a banner before ready; it is thrown away, then it plays on: no fault."""
from arena.kit import run

print('SuperBot 3000 (c)')
run(lambda turn: turn.legal[0])
