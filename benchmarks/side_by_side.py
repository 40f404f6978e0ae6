"""Measuring several things in one run: in turns, so that a busy machine slows all of them; medians
and spread.

Shared by the benchmarks beside it. Other programs can only slow a measurement down, so ratios of
medians are what a noisy machine can tell; absolute figures are of one machine on one day. Each
table says how many rounds it had, and the machine's load average of a minute before them: five
rounds at a load of 0.3 tell more than three at 9.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import TypeVar

from picture import Panel
from tables import Goal, print_table, ratio_cell

Figure = TypeVar("Figure")
HERE = Path(__file__).parent
BOT = """\
import sys, time
legal = []
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "ready?":
        print("ready", flush=True)
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        until = time.thread_time() + SECONDS
        while time.thread_time() < until:
            pass
        print(legal[INDEX], flush=True)
        legal = []
"""
"""A bot that computes for SECONDS, and makes the legal move at INDEX."""


class Rounds(list[Figure]):
    """What each round gave, and the load average of the machine before it."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[float] = []

    def conditions(self) -> str:
        """Return the number of rounds and the range of the load."""
        return f"{len(self)} rounds, load {min(self.loads):.1f} to {max(self.loads):.1f}"


def measured(things: Mapping[str, Callable[[], Figure]], rounds: int) -> dict[str, Rounds[Figure]]:
    """Call each in turn, `rounds` times; what each gave."""
    found: dict[str, Rounds[Figure]] = {name: Rounds() for name in things}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for name, measure in things.items():
            found[name].loads.append(os.getloadavg()[0])
            found[name].append(measure())
    return found


def show(
    title: str,
    unit: str,
    found: Mapping[str, Rounds[float]],
    against: str,
    goals: Mapping[str, Goal] | None = None,
) -> Panel:
    """Print a table: the median of each, its spread, and how many times the median of one of them
    it is. A ratio in bold misses its goal.
    """
    floor = median(found[against])
    rows = []
    for name, values in found.items():
        middle = median(values)
        spread = f"{figure(min(values))} to {figure(max(values))}"
        ratio = ratio_cell(middle / floor, (goals or {}).get(name))
        rows.append([name, figure(middle), spread, ratio])
    conditions = next(iter(found.values())).conditions()
    head = ["", f"median, {unit}", "least to most", "ratio"]
    print_table(f'{title}, beside "{against}" ({conditions})', head, rows)
    return Panel(title, unit, dict(found))


def figure(value: float) -> str:
    """Return a figure with three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def on(where: set[int], measure: Callable[[], Figure]) -> Callable[[], Figure]:
    """The same on these cores only."""

    def measured() -> Figure:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, where)
        try:
            return measure()
        finally:
            os.sched_setaffinity(0, before)

    return measured


def public_folder() -> Path:
    """Make a folder that everybody may read, as bots must; it is removed when this program ends."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def compiled(source: str) -> Path | None:
    """A C program of this folder as something that runs; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = public_folder() / Path(source).stem
    subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / source)], check=True)
    return program
