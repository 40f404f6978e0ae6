"""Makes a legal move in capitals."""
from arena.kit import run

run(lambda turn: turn.legal[0].upper())
