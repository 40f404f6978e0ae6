"""Goes on for ever after the end of its match: no fault."""
import time
from arena.kit import run

run(lambda turn: turn.legal[0])
time.sleep(600)
