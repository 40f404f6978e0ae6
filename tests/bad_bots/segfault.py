"""Dies of a segmentation fault."""
import ctypes
from arena.kit import run

def choose(turn):
    ctypes.string_at(0)

run(choose)
