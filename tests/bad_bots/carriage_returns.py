"""Ends its lines as Windows does, with blanks around its moves: no fault."""
import sys
from arena.kit import run

sys.stdout.reconfigure(newline='\r\n')
run(lambda turn: '  ' + turn.legal[0] + ' ')
