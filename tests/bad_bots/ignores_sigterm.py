"""Ignores every signal that can be ignored, and the end of its match."""
import signal, time
from arena.kit import run

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
run(lambda turn: turn.legal[0])
while True:
    time.sleep(600)
