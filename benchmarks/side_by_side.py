"""Measuring several things in one run: in turns, so that a busy machine slows all of them; medians and spread.

Shared by the benchmarks beside it. Other programs can only slow a measurement down, so ratios of medians are what a
noisy machine can tell; absolute figures are of one machine on one day.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import TypeVar

from picture import Panel

Figure = TypeVar("Figure")
HERE = Path(__file__).parent


def measured(things: Mapping[str, Callable[[], Figure]], rounds: int) -> dict[str, list[Figure]]:
    """Call each in turn, `rounds` times; what each gave."""
    found: dict[str, list[Figure]] = {name: [] for name in things}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for name, measure in things.items():
            found[name].append(measure())
    return found


def show(title: str, unit: str, found: dict[str, list[float]], against: str, *, more_is_better: bool) -> Panel:
    """Print a table: the median of each, its spread, and how it compares with one of them (1 = as good)."""
    print(f"\n{title}")
    floor = median(found[against])
    for name, values in found.items():
        middle = median(values)
        ratio = middle / floor if more_is_better else floor / middle
        print(f"  {name:52}{middle:>9,.1f} {unit}  {min(values):>8,.1f} to {max(values):<8,.1f}  x{ratio:.2f}")
    return Panel(title, unit, found)


def compiled(source: str) -> Path | None:
    """A C program of this folder as something that runs; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    folder.chmod(0o755)
    program = folder / Path(source).stem
    subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / source)], check=True)
    return program
