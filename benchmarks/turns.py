"""What a turn costs: `python benchmarks/turns.py`. Everything speaks the same lines to the same
Python bots.

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

from arena import system
from arena.event.workers import Workers
from arena.match.bot.wire import Wire
from arena.match.play import play
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Match

TURNS = 4000
ROUNDS = 7
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


if __name__ == "__main__":
    script = duel.script(BOARD)
    floor = compiled("loop.c")
    everywhere = set(system.cores())
    panels = []
    frozen, awake = (
        duel.match(BOARD, BOT, sandbox="landlock", freeze=freeze) for freeze in (True, False)
    )
    with tempfile.TemporaryDirectory() as folder:
        lines = duel.written_to(Path(folder) / "script", BOARD)
        for name, where in (("on one core", {min(everywhere)}), ("free", everywhere)):
            things: dict[str, Callable[[], float]] = {
                "loop in C, checks nothing": lambda: loop(floor, lines) if floor else float("nan"),
                "our pipes alone": lambda: pipes(script),
                "whole turns of duel, bots not frozen": lambda: whole(awake),
                "whole turns of duel, bots frozen at once": lambda: whole(frozen, watched=True),
                "whole turns of duel": lambda: whole(frozen),
            }
            found = measured({key: on(where, thing) for key, thing in things.items()}, ROUNDS)
            panels += [
                show(f"A turn, {name}", "us", found, next(iter(things)), more_is_better=False)
            ]
    if len(everywhere) > 1:
        lanes = {
            f"{number} pinned": lambda number=number: turns_a_second(number, frozen)
            for number in (1, 2)
        }
        panels += [
            show(
                "Turns a second by lanes", "/s", measured(lanes, 3), "1 pinned", more_is_better=True
            )
        ]
    told = f"mummy_maze/duel, medians of {ROUNDS} rounds, on {len(everywhere)} cores"
    draw(duel.DOCS / "turns.png", "What a turn costs", told, panels)
