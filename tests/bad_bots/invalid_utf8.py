"""Answers with bytes that are no UTF-8."""
import sys
from arena.kit import run

sys.stdout.reconfigure(encoding='utf-8', errors='surrogateescape')
run(lambda turn: 'move1 \udcff\udcfe')
