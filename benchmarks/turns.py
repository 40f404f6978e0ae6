"""What a turn costs beside a loop in C that checks nothing: `python benchmarks/turns.py [ROUNDS]`.

Everything speaks the same lines to the same Python bots.

`loop.c` is the floor: it writes, polls, reads, and checks nothing. Then our pipes alone, with lines
that were encoded beforehand; then whole turns of `mummy_maze/duel`: rules, facts, legal moves,
clock, record; without freezing, with bots that are frozen after each answer, and as a match is
played (late freezing). Each on one core, and free; at last two lanes at once against one.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duel
from picture import draw
from side_by_side import compiled, measured, on, show
from tables import Goal

from arena import system
from arena.event.workers import Workers
from arena.match.bot.wire import Wire
from arena.match.play import play
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Match

TURNS = 4000
ROUNDS = 7
LOOP, PIPES, AWAKE = "a loop in C that checks nothing", "our pipes alone", "turns, bots not frozen"
AT_ONCE, LATE = "turns, bots frozen at once", "turns, bots frozen late (the default)"
GOALS = {PIPES: Goal(most=1.14), AWAKE: Goal(most=2.2), LATE: Goal(most=2.6)}
"""On one core; free, the hand-over to another core is most of a turn."""
BOARD = duel.board(TURNS)
BOT = duel.python_bot()


def loop(program: Path, script: Path) -> float:
    """Microseconds a turn of the loop in C."""
    bot = f"{sys.executable} -s -B -u {Path(str(BOT.files))}"
    done = subprocess.run([program, str(TURNS), script, bot, bot], capture_output=True, check=True)
    return int(done.stdout) / 1000


def pipes(script: list[tuple[int, bytes]]) -> float:
    """Microseconds a turn of our pipes alone."""
    with Launcher() as launcher:
        children = [launcher.start(BOT, Conditions(sandbox="none"), None) for _ in range(2)]
        wires = [
            Wire(child.stdin, child.stdout, child.stderr, launcher.lifeline) for child in children
        ]
        for number, (seat, text) in enumerate(script):
            if number == len(wires):
                began = time.perf_counter()
            wire = wires[seat]
            wire.write(text)
            answer = b""
            while not answer.endswith(b"\n"):
                wire.wait(10_000)
                answer += wire.read() or b""
        took = time.perf_counter() - began
        for wire, child in zip(wires, children, strict=True):
            launcher.end(child)
            wire.close()
    return took / (len(script) - len(wires)) * 1e6


def whole(match: Match, *, watched: bool = False) -> float:
    """Microseconds a turn of a match, from the first question to the last answer."""
    with Launcher() as launcher:
        record, marks = duel.timed(match, launcher, watched=watched)
    if record.verdict.faults:
        raise RuntimeError(record.verdict.faults)
    return (marks[-1] - marks[0]) / (len(marks) - 1) * 1e6


def turns_a_second(lanes: int, match: Match) -> float:
    """Turns a second of a number of pinned lanes, each with one long match."""
    first, matches = [0] * 4 * lanes, [match] * 3 * lanes
    with Workers(lanes, pin=True) as workers:
        list(
            workers.map(_nothing, lambda: first.pop() if first else None)
        )  # now their doors are open
        began = time.perf_counter()
        for done in workers.map(_played, lambda: matches.pop() if matches else None):
            if done.failure:
                raise RuntimeError(done.failure)
        return lanes * 3 * TURNS / (time.perf_counter() - began)


def _nothing(_launcher: Launcher, _item: object) -> None:
    """For a lane that is to be there."""


def _played(launcher: Launcher, match: Match) -> int:
    return len(play(match, launcher=launcher).turns)


def main(rounds: int) -> None:
    """Print the tables, and draw their picture."""
    script = duel.script(BOARD)
    floor = compiled("loop.c")
    everywhere = set(system.cores())
    panels = []
    frozen, awake = (
        duel.match(BOARD, BOT, sandbox="landlock", freeze=freeze) for freeze in (True, False)
    )
    with tempfile.TemporaryDirectory() as folder:
        lines = duel.written_to(Path(folder) / "script", BOARD)
        things: dict[str, Callable[[], float]] = {
            LOOP: lambda: loop(floor, lines) if floor else float("nan"),
            PIPES: lambda: pipes(script),
            AWAKE: lambda: whole(awake),
            AT_ONCE: lambda: whole(frozen, watched=True),
            LATE: lambda: whole(frozen),
        }
        for name, where in (("on one core", {min(everywhere)}), ("free", everywhere)):
            found = measured({key: on(where, thing) for key, thing in things.items()}, rounds)
            goals = GOALS if len(where) == 1 else None
            panels.append(show(f"A turn, {name}", "us", found, LOOP, goals))
    if len(everywhere) > 1:
        lanes = {
            f"{number} pinned": lambda number=number: turns_a_second(number, frozen)
            for number in (1, 2)
        }
        found = measured(lanes, rounds)
        goals = {"2 pinned": Goal(least=1.85)}
        panels.append(show("Turns a second by lanes", "/s", found, "1 pinned", goals))
    subtitle = f"mummy_maze/duel, medians of {rounds} rounds, on {len(everywhere)} cores"
    draw(duel.DOCS / "turns.png", "What a turn costs", subtitle, panels)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
