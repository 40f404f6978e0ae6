"""Answers every question twice: its own doing, the second is thrown away with a warning."""
from arena.kit import run

run(lambda turn: turn.legal[0] + '\n' + turn.legal[0])
