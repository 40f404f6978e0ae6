"""Prints moves before it is asked; they are thrown away, then it plays on: no fault."""
from arena.kit import run

print('move1 north\nmove2 up', flush=True)
run(lambda turn: turn.legal[0])
