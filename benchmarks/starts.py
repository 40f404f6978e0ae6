"""What the start of a bot costs, at each level, cold and warm: `python benchmarks/starts.py
[ROUNDS]`.

It is measured from the call to the first line of the bot. All kinds take turns, so that they share
whatever else the machine does. What starts cost in matches a second is in `matches.py`.

The spawner forks ahead when it has nothing else to do; the fourth of four warm starts at once finds
nothing prepared.

Then the CPU time of a match of one turn, nearly all of which is starting and ending: of the referee
process (the lane), of its spawner, and of its two bots.

What bare users can read serves all levels: the system's /usr/bin/python3 where there is one. Warm
bots run on the interpreter that runs arena, as they do in an event.
"""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

import duel
from side_by_side import compiled, figure, measured
from tables import Goal, print_table, ratio_cell

from arena.event import discovery
from arena.match.play import play
from arena.sandbox import cores, selftest
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions

ROUNDS, WARMING = 60, 3  # the first ones make the kit and the caches
MATCH_ROUNDS, MATCHES = 5, 20
BOARD = duel.board(1)
LEVELS = ("landlock", "bubblewrap", "rlimits", "none")
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
READY = "import os\nos.write(1, b'ready\\n')\nos.read(0, 1)\n"


@dataclass
class Kind:
    """One way to start a bot, and what it took each time."""

    name: str
    once: Callable[[], float]
    """Does it; the seconds that it took."""
    to: str = ""
    """The row that it is compared with; empty = none."""
    goal: Goal | None = None
    taken: list[float] = field(default_factory=list)


def measure(kinds: list[Kind], rounds: int) -> None:
    """Let all of them take turns, then print a row for each: milliseconds, and the ratio of
    medians.
    """
    load = os.getloadavg()[0]
    for number in range(rounds + WARMING):
        for kind in kinds:
            took = kind.once()
            if number >= WARMING:
                kind.taken.append(1000 * took)
    middle = {kind.name: median(kind.taken) for kind in kinds}
    rows = []
    for kind in kinds:
        low, _, high = quantiles(kind.taken, n=4)
        ratio = ""
        if kind.to:
            ratio = ratio_cell(middle[kind.name] / middle[kind.to], kind.goal)
        spread = f"{figure(low)} to {figure(high)}"
        cells = [kind.name, figure(middle[kind.name]), spread, ratio, kind.to]
        rows.append(cells)
    title = f"From the order to the first line; {rounds} rounds, load {load:.1f}; -S is {PYTHON}"
    print_table(title, ["", "median, ms", "middle half", "ratio", "to"], rows)


def bare(*command: str) -> float:
    """Seconds from Popen to the first line of a process that nobody confines."""
    began = perf_counter()
    with subprocess.Popen(
        command, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout is not None
        process.stdout.read(6)
        took = perf_counter() - began
        process.kill()
    return took


def through(launcher: Launcher, bot: Bot, conditions: Conditions) -> float:
    """The same through the door."""
    began = perf_counter()
    child = launcher.start(bot, conditions, None)
    select.select([child.stdout], [], [])
    took = perf_counter() - began
    assert os.read(child.stdout, 100) == b"ready\n", os.read(child.stderr, 1000)
    assert child.spec.warm == conditions.warm
    launcher.end(child)
    for descriptor in (child.stdin, child.stdout, child.stderr):
        os.close(descriptor)
    return took


def offered() -> list[str]:
    """The levels that can be had here; what is missing is said."""
    failures = {level: selftest.failure(level, PYTHON) for level in LEVELS[:2]}
    for level, why in failures.items():
        if why is not None:
            print(f"{level}: not here: {why}", file=sys.stderr)
    return [level for level in LEVELS if failures.get(level) is None]


def written(folder: Path, name: str, text: str) -> Bot:
    """A bot of this text."""
    (folder / name).write_text(text)
    return discovery.from_path(folder / name)


def starts(folder: Path, levels: list[str], launcher: Launcher, other: Launcher) -> list[Kind]:
    """Each kind of start; `other` is the door whose bots find numpy imported."""
    bot, adder = (
        written(folder, "bot.py", READY),
        written(folder, "adder.py", "import numpy\n" + READY),
    )
    plain = replace(bot, command=(PYTHON, "-S", "bot.py"))
    path = str(folder / "bot.py")
    kinds = [
        Kind("bare -I -S", lambda: bare(sys.executable, "-I", "-S", path)),
        Kind("plain -S", lambda: bare(PYTHON, "-S", path)),
    ]
    wanted = {"landlock": Goal(most=1.7), "bubblewrap": Goal(most=2.0)}
    for level in levels:
        once = partial(through, launcher, plain, Conditions(sandbox=level, warm=False))
        kinds.append(Kind(f"cold -S, {level}", once, "plain -S", wanted.get(level)))
    if "landlock" in levels:
        cold, hot = (Conditions(sandbox="landlock", warm=warm) for warm in (False, True))
        kinds.append(Kind("cold, landlock", lambda: through(launcher, bot, cold), "bare -I -S"))
        kinds.append(
            Kind(
                "warm, landlock", lambda: through(launcher, bot, hot), "bare -I -S", Goal(most=0.32)
            )
        )
        fourth = lambda: [through(launcher, bot, hot) for _ in range(4)][-1]  # noqa: E731
        kinds.append(Kind("warm, landlock, fourth at once", fourth, "bare -I -S"))
    kinds.append(
        Kind("warm, none", lambda: through(launcher, bot, Conditions(sandbox="none")), "bare -I -S")
    )
    if "landlock" in levels and find_spec("numpy"):
        ahead = replace(hot, preload=("numpy",))
        kinds.append(
            Kind("cold with numpy, landlock", lambda: through(launcher, adder, cold), "bare -I -S")
        )
        name = "warm with numpy, landlock"
        kinds.append(
            Kind(
                name,
                lambda: through(other, adder, ahead),
                "cold with numpy, landlock",
                Goal(most=0.08),
            )
        )
    return kinds


def match_of_one_turn(launcher: Launcher, bot: Bot, *, warm: bool) -> tuple[float, float, float]:
    """CPU milliseconds of a match for the lane, the spawner, and the bots."""

    def spent() -> tuple[float, float]:
        ran_ns, *_ = Path(f"/proc/{launcher._spawner.pid}/schedstat").read_text().split()
        return process_time(), int(ran_ns) / 1e9

    bots = 0.0
    for number in range(WARMING + MATCHES):
        if number == WARMING:
            lane, spawner = spent()
        record = play(
            duel.match(BOARD, bot, number, sandbox="landlock", warm=warm), launcher=launcher
        )
        if record.verdict.faults:
            raise RuntimeError(record.verdict.faults)
        bots += sum(seat.cpu for seat in record.seats) if number >= WARMING else 0.0
    after = spent()
    seconds = after[0] - lane, after[1] - spawner, bots
    return tuple(1000 * part / MATCHES for part in seconds)  # type: ignore[return-value]


def show_matches(rounds: int) -> None:
    """Where the CPU time of short matches goes, on one core."""
    everywhere, program = os.sched_getaffinity(0), compiled("bot.c")
    cores.stay(min(everywhere))
    with Launcher() as launcher:
        kinds = [
            ("warm Python bots", duel.python_bot(), True),
            ("cold Python bots", duel.python_bot(), False),
        ]
        kinds += [("C bots", duel.program_bot(program), False)] if program else []
        found = measured(
            {
                name: partial(match_of_one_turn, launcher, bot, warm=warm)
                for name, bot, warm in kinds
            },
            rounds,
        )
    os.sched_setaffinity(0, everywhere)
    rows = []
    for name, each in found.items():
        parts = [median(column) for column in zip(*each, strict=True)]
        rows.append([name, *map(figure, parts), figure(sum(parts))])
    conditions = next(iter(found.values())).conditions()
    title = f"CPU time of a match of one turn, on one core, in ms ({conditions})"
    print_table(title, ["", "lane", "spawner", "both bots", "sum"], rows)


def main(rounds: int) -> None:
    """Print the tables."""
    levels = offered()
    with tempfile.TemporaryDirectory() as name, Launcher() as launcher, Launcher() as other:
        measure(starts(Path(name), levels, launcher, other), rounds)
    if "landlock" in levels:
        show_matches(MATCH_ROUNDS)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
