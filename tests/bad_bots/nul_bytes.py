"""Answers with a NUL in its line."""
from arena.kit import run

run(lambda turn: turn.legal[0] + '\0')
