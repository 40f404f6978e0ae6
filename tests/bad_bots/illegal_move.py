"""Makes a move that is none."""
from arena.kit import run

run(lambda turn: 'move: nrth')
