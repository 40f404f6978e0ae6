"""What a match of 100 turns with fresh bots costs: `python benchmarks/matches.py [ROUNDS]`.

Bots that answer at once, in Python and in C; cold, warm, at each level, with one lane and two. For
C bots the floor is `loop.c -m`, which starts two bots with posix_spawn, plays, and kills them,
unconfined. At last a whole event (roll call, matches, archive) beside lanes that only play.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duel
from picture import draw
from side_by_side import Rounds, compiled, figure, measured, public_folder, show
from tables import Goal, print_table

from arena import system
from arena.errors import ArenaError
from arena.event import discovery, tournament
from arena.event.workers import Workers
from arena.match.play import play
from arena.sandbox import choice, cores
from arena.sandbox.launcher import Launcher
from arena.values import Abort, Bot, Event, Fault, Match, Record

ROUNDS = 5
SPAWN = "posix_spawn and play in C, unconfined"
MATCHES = 40
"""A lane and round."""
REPEATS = 50
"""Of each pairing of four bots in a whole event, which is 600 matches."""
BOARD = duel.board(100)
EVERYWHERE = os.sched_getaffinity(0)


def usable(level: str) -> bool:
    """Whether bots can be confined so here."""
    try:
        return bool(choice.choose(level, unsafe=True))
    except ArenaError:
        return False


LEVELS = tuple(level for level in ("landlock", "bubblewrap", "rlimits", "none") if usable(level))


def matches_a_second(bot: Bot, lanes: int, pin: bool, **conditions: object) -> Callable[[], float]:
    """Plays matches of the bot against itself."""

    def measure() -> float:
        first, numbers = [0] * 4 * lanes, iter(range(MATCHES * lanes))
        with Workers(lanes, pin=pin) as workers:
            with_number = lambda number: duel.match(BOARD, bot, number, **conditions)  # noqa: E731
            list(
                workers.map(_played, lambda: with_number(first.pop()) if first else None)
            )  # now all is warm
            began = time.perf_counter()
            matches = (with_number(number) for number in numbers)
            for done in workers.map(_played, lambda: next(matches, None)):
                if done.failure or not done.result:
                    raise RuntimeError(done.failure or "a bot was at fault")
            return MATCHES * lanes / (time.perf_counter() - began)

    return measure


def _played(launcher: Launcher, match: Match) -> bool:
    return not play(match, launcher=launcher).verdict.faults


def floor(loop: Path, script: Path, bot: Path) -> Callable[[], float]:
    """The loop in C, with fresh bots for every match."""

    def measure() -> float:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            done = subprocess.run(
                [loop, "-m", str(MATCHES), script, bot, bot], capture_output=True, check=True
            )
        finally:
            os.sched_setaffinity(0, before)
        return 1e9 / int(done.stdout)

    return measure


def shares(bot: Bot, **conditions: object) -> Callable[[], tuple[float, float, float]]:
    """Milliseconds of a match until all bots are ready, for its turns, and to its end."""

    def measure() -> tuple[float, float, float]:
        with Launcher() as launcher:
            for number in range(3):  # the first one finds nothing prepared
                began = time.perf_counter()
                _, moments = duel.timed(duel.match(BOARD, bot, number, **conditions), launcher)
                marks = [began, *moments, time.perf_counter()]
        return (
            (marks[1] - marks[0]) * 1e3,
            (marks[-2] - marks[1]) * 1e3,
            (marks[-1] - marks[-2]) * 1e3,
        )

    return measure


def show_shares(found: dict[str, Rounds[tuple[float, float, float]]]) -> None:
    """Print where the time of a match goes."""
    rows = []
    for name, rounds in found.items():
        parts = [median(column) for column in zip(*rounds, strict=True)]
        rows.append([name, *map(figure, parts), figure(sum(parts))])
    conditions = next(iter(found.values())).conditions()
    title = f"Where a match of 100 turns spends its time, on one core, in ms ({conditions})"
    print_table(title, ["", "until both are ready", "100 turns", "end", "sum"], rows)


class Nobody:
    """An audience that looks away."""

    def begins(self, planned: int, finished: int) -> None:
        """So many."""

    def absent(self, bot: str, fault: Fault) -> None:
        """Not one of ours."""
        raise RuntimeError(f"{bot}: {fault.words}")

    def finished(self, record: Record) -> None:
        """One more."""

    def aborted(self, abort: Abort) -> None:
        """It is played again."""


def whole_event(lanes: int, warm: bool) -> Callable[[], float]:
    """Matches a second of an event from nothing to its archive."""
    folder = public_folder()
    for number in range(4):
        (folder / f"bot{number}.py").write_text(f"{duel.PYTHON_BOT}# {number}\n")
    bots = discovery.gather(folder)

    def measure() -> float:
        conditions = duel.match(BOARD, bots[0], sandbox="landlock", warm=warm).conditions
        event = Event(
            name="bench", seed=1, boards=(BOARD,), bots=bots, repeats=REPEATS, conditions=conditions
        )
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            done = tournament.run(event, Path(folder), workers=lanes, audience=Nobody())
            return done.finished / (time.perf_counter() - began)

    return measure


def python_bots(lanes: int) -> dict[str, Callable[[], float]]:
    """Python bots in a number of lanes."""
    bot = duel.python_bot()
    found = {
        f"{'warm' if warm else 'cold'}, {level}{', pinned' if pin else ''}": matches_a_second(
            bot, lanes, pin, sandbox=level, warm=warm
        )
        for warm, level, pin in itertools.product(
            (False, True), ("landlock", "none"), (True, False)
        )
        if pin or not warm
    }
    if "bubblewrap" in LEVELS:
        found["cold, bubblewrap, pinned"] = matches_a_second(
            bot, lanes, True, sandbox="bubblewrap", warm=False
        )
    return found


def main(rounds: int) -> None:
    """Print the tables, and draw their picture."""
    panels = []
    for lanes in sorted({1, min(2, len(system.cores()))}):
        found = measured(python_bots(lanes), rounds)
        title = f"Matches a second, fresh Python bots, {lanes} lane{'s' * (lanes > 1)}"
        goals = {"warm, landlock, pinned": Goal(least=2.8)} if lanes > 1 else None
        panels.append(show(title, "/s", found, "cold, landlock, pinned", goals))
    loop, program = compiled("loop.c"), compiled("bot.c")
    parts = {
        f"{kind}, {'not frozen' if not freeze else 'frozen'}": shares(
            bot, sandbox="landlock", warm=warm, freeze=freeze
        )
        for kind, bot, warm in (
            ("cold Python bots", duel.python_bot(), False),
            ("warm Python bots", duel.python_bot(), True),
            *([("C bots", duel.program_bot(program), False)] if program else []),
        )
        for freeze in (True, False)
    }
    cores.stay(min(system.cores()))
    show_shares(measured(parts, rounds))
    os.sched_setaffinity(0, EVERYWHERE)
    if loop and program:
        bot = duel.program_bot(program)
        with tempfile.TemporaryDirectory() as folder:
            script = duel.written_to(Path(folder) / "script", BOARD)
            things = {SPAWN: floor(loop, script, program)}
            for level in LEVELS:
                things[f"ours, {level}"] = matches_a_second(bot, 1, True, sandbox=level)
            found = measured(things, rounds)
            title = "Matches a second, fresh C bots, 1 lane"
            panels.append(show(title, "/s", found, SPAWN, {"ours, landlock": Goal(least=0.2)}))
            if {"landlock", "bubblewrap"} <= set(LEVELS):
                ours = {name: values for name, values in found.items() if name != SPAWN}
                goals = {"ours, bubblewrap": Goal(least=0.7)}
                show("The same by level", "/s", ours, "ours, landlock", goals)
    for kind, warm in (("cold", False), ("warm", True)):
        playing, event = "two lanes that only play", "a whole event on two lanes"
        things = {
            playing: matches_a_second(duel.python_bot(), 2, True, sandbox="landlock", warm=warm),
            event: whole_event(2, warm),
        }
        title = f"A whole event, {kind} starts, matches a second"
        found = measured(things, rounds)
        panels.append(show(title, "/s", found, playing, {event: Goal(least=0.9)}))
    subtitle = f"medians of {rounds} rounds, on {len(EVERYWHERE)} cores"
    draw(duel.DOCS / "matches.png", "What a match costs", subtitle, panels)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
