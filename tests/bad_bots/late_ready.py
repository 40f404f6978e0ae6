"""Says ready too late."""
import time
from arena.kit import run

time.sleep(3.0)
run(lambda turn: turn.legal[0])
