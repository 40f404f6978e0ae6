"""What confinement costs, side by side in one run: `python benchmarks/starts.py`.

First the start of a bot, from the call to its first line, at each level against the same command started plainly. Then
an event's worth of short matches between bots that answer at once, cold, at each level against `none`. The bots run on
the system's /usr/bin/python3 where there is one, because every user can read it, as `bubblewrap` wants when root asks.
"""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

from arena import roster, rulebook
from arena.clock import TimeControl
from arena.event import Event
from arena.match import Bot, Conditions, Limits
from arena.play import play
from arena.sandbox import trial
from arena.sandbox.door import Door

ROUNDS = 60
MATCHES = 40
LEVELS = ("landlock", "bubblewrap", "rlimits", "none")
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
FIRST_LINE = "import os\nos.write(1, b'ready\\n')\nos.read(0, 1)\n"
AT_ONCE = (
    "import os, sys\n"
    "for line in sys.stdin:\n"
    "    if line.startswith('legal'): move = line[6:]\n"
    "    elif line.startswith('go'): os.write(1, move.encode())\n"
    "    elif line == 'ready?\\n': os.write(1, b'ready\\n')\n"
)


def plain(path: Path) -> float:
    """Seconds from Popen to the first line of a process that nobody confines."""
    began = perf_counter()
    with subprocess.Popen(
        [PYTHON, "-S", path.name], cwd=path.parent, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout is not None
        process.stdout.read(6)
        took = perf_counter() - began
        process.kill()
    return took


def confined(door: Door, bot: Bot, level: str) -> float:
    """The same through the door."""
    began = perf_counter()
    child = door.start(bot, Conditions(sandbox=level), None)
    select.select([child.stdout], [], [])
    took = perf_counter() - began
    assert os.read(child.stdout, 100) == b"ready\n", os.read(child.stderr, 1000)
    door.end(child)
    for descriptor in (child.stdin, child.stdout, child.stderr):
        os.close(descriptor)
    return took


@contextmanager
def doors() -> Iterator[dict[str, Door]]:
    """A door for each level that can be had here; what is missing is said."""
    offered = {level: trial.failure(level, PYTHON) for level in LEVELS[:2]}
    for level, why in offered.items():
        if why is not None:
            print(f"  {level}: not here: {why}")
    with Door() as one:
        yield {level: one for level in LEVELS if offered.get(level) is None}


def starts(folder: Path) -> None:
    """Print the median start at each level, and its ratio to a plain start."""
    path = folder / "first_line.py"
    path.write_text(FIRST_LINE)
    bot = replace(roster.from_path(path), command=(PYTHON, "-S", path.name))
    with doors() as open_doors:
        tries: dict[str, Callable[[], float]] = {"plain Popen": lambda: plain(path)}
        for level, door in open_doors.items():
            tries[level] = lambda door=door, level=level: confined(door, bot, level)
        times: dict[str, list[float]] = {name: [] for name in tries}
        for number in range(ROUNDS + 3):
            for name, attempt in tries.items():
                took = attempt()
                if number >= 3:  # the first ones make the kit and the caches
                    times[name].append(took)
    base = median(times["plain Popen"])
    for name, taken in times.items():
        print(f"  {name:12} {median(taken) * 1000:6.2f} ms  x{median(taken) / base:.2f}")


def matches(folder: Path) -> None:
    """Print matches a second at each level, and the ratio to `none`."""
    path = folder / "at_once.py"
    path.write_text(AT_ONCE)
    bot = replace(roster.from_path(path), command=(PYTHON, "-S", path.name))
    (board,) = rulebook.find("mummy_maze/duel")
    with doors() as open_doors:
        taken: dict[str, float] = dict.fromkeys(open_doors, 0.0)
        for number in range(MATCHES + 1):
            for level, door in open_doors.items():
                conditions = Conditions(sandbox=level, time=TimeControl(start=30.0, move=30.0), limits=Limits())
                event = Event(name="bench", seed=number, boards=(board,), bots=(bot, bot), conditions=conditions)
                began = perf_counter()
                record = play(event.match(board, (bot, bot), 0), door=door)
                assert not record.verdict.faults, record.verdict
                taken[level] += (perf_counter() - began) if number else 0.0
    for level, seconds in taken.items():
        print(f"  {level:12} {MATCHES / seconds:6.1f} matches a second  x{taken['none'] / seconds:.2f}")


def main() -> None:
    """Both tables."""
    with tempfile.TemporaryDirectory() as name:
        print(f"start to the first line of `{PYTHON} -S`, median of {ROUNDS}:")
        starts(Path(name))
        print(f"matches of bots that answer at once, cold starts, {MATCHES} at each level by turns:")
        matches(Path(name))


if __name__ == "__main__":
    main()
