"""How fast a machine is, measured in its lanes by a search in Python and by a loop of C.

A sample is CPU time, not wall time, because bots are not charged for time in which other programs
have the core. So a busy machine is not taken for a slow one.
"""

import ctypes
import math
import random
import shutil
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena import rulefile
from arena.games import rulebook
from arena.values import Board

NODES = 4000  # positions that the Python program visits; they take about 12 ms
# Steps of the loop of C, each of which waits for the one before; they take about 12 ms.
C_STEPS = 7_000_000
# Samples of each lane that do not count, while the processor raises its clock and the caches fill.
WARM_UPS = 2
SAMPLES = 5  # samples of each lane that count
# The most that the ninth decile of a machine's samples may exceed their median, as a factor.
NOISIEST = 1.5
ROUNDS = 3  # rounds of samples that a machine gets until it is quiet enough: a noise may pass
COMPILERS = ("cc", "gcc", "clang")
COMPILE_TIMEOUT_S = 20.0
C_SOURCE = """
unsigned long long spin(unsigned long long steps) {
  unsigned long long x = 88172645463325252ULL;
  for (unsigned long long i = 0; i < steps; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
  return x;
}
"""


class Sample(NamedTuple):
    """The CPU time of both programs, in seconds."""

    python: float
    c: float | None
    """None where there is no compiler."""


@dataclass(frozen=True)
class Speed:
    """How long a machine takes for the two programs, with all its lanes busy."""

    python_s: float
    """The median of the samples."""
    c_s: float | None
    """The same of the loop of C; None where there is no compiler."""
    spread: float
    """The noise: the ninth decile of the Python samples as a multiple of their median."""

    def factor(self, reference: "Speed") -> float:
        """Return how many times longer this machine takes.

        It is the geometric mean over the programs that both machines ran.
        """
        ratios = [self.python_s / reference.python_s]
        if self.c_s is not None and reference.c_s is not None:
            ratios.append(self.c_s / reference.c_s)
        product = math.prod(ratios)
        exponent = 1 / len(ratios)
        return product**exponent


def speed_of(samples: Sequence[Sample]) -> Speed:
    """Return the speed that these samples show."""
    python = sorted(sample.python for sample in samples)
    compiled = [sample.c for sample in samples if sample.c is not None]
    median = statistics.median(python)
    c_s = None
    if compiled:
        c_s = statistics.median(compiled)
    last = len(python) - 1
    ninth_decile = python[int(0.9 * last)]
    return Speed(python_s=median, c_s=c_s, spread=ninth_decile / median)


def measure(library: Path | None) -> Speed:
    """Return the speed of this process, which has no lanes."""
    samples = [sample(library) for _ in range(WARM_UPS + SAMPLES)]
    return speed_of(samples[WARM_UPS:])


def compiled(folder: Path) -> Path | None:
    """Return the loop of C as a shared library in this folder; None where no compiler makes one."""
    library = folder / "spin.so"
    source = folder / "spin.c"
    for name in COMPILERS:
        compiler = shutil.which(name)
        if compiler is None:
            continue
        command = [compiler, "-O1", "-shared", "-fPIC"]
        command += ["-o", str(library), str(source)]
        try:
            source.write_text(C_SOURCE)
            subprocess.run(
                command,
                capture_output=True,
                check=True,
                timeout=COMPILE_TIMEOUT_S,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return library
    return None


def sample(library: Path | None) -> Sample:
    """Run both programs once in this process."""
    begun = time.thread_time()
    _search()
    python = time.thread_time() - begun
    if library is None:
        return Sample(python, None)
    spin = ctypes.CDLL(str(library)).spin
    begun = time.thread_time()
    spin(ctypes.c_ulonglong(C_STEPS))
    return Sample(python, time.thread_time() - begun)


def _search() -> None:
    """Visit NODES positions of a shipped board by random play, which is what Python bots do."""
    game = rulebook.game_of(_board())
    draws = random.Random(1)
    state = game.start()
    for _ in range(NODES):
        roles = game.to_move(state)
        if not roles or game.outcome(state) is not None:
            state = game.start()
            continue
        moves = {role: draws.choice(game.legal_moves(state, role)) for role in roles}
        state = game.play(state, moves)


@cache
def _board() -> Board:
    (board, *_) = rulebook.find(f"{rulefile.shipped() / 'mummy_maze.py'}/duel")
    return board
