"""Answers with a Unicode line separator in its line."""
import sys
from arena.kit import run

sys.stdout.reconfigure(encoding='utf-8')
run(lambda turn: turn.legal[0] + '\u2028')
