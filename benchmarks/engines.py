"""The same two chess engines in fastchess and in arena: `python benchmarks/engines.py FASTCHESS`.

Stockfish at two strengths plays itself, by UCI, from the same openings, once with each colour. The
runners are compared in three things, with engines that are kept from game to game and with new ones
for each game:

- results: each move is searched to NODES nodes, so that both runners see engines of the same
  strength; the difference of the scores is given in its standard error
- plies a second, and the CPU time of a ply: of the runner and all that it started
- time losses: each move has MOVE_S seconds, with the same margin, alone and beside SPINNERS
  programs that keep the cores busy. None of them is the fault of an engine that plays by the clock

fastchess neither confines nor freezes engines, and hands over the clock as it is. arena confines
them, freezes them, and excuses what they waited for a core. Its figures have the bridge `uci` in
them: a process of Python beside each engine.
"""

import argparse
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tables import print_table

from arena import system
from arena.results.archive import Archive
from arena.values import Ending

STRENGTHS = {"weak": 0, "strong": 2}
"""Bots, with Stockfish's `Skill Level`."""
NODES = 2000
MOVE_S, MARGIN_S = 0.1, 0.05
SPINNERS = 8
OPENING_PLIES = 4
BOARD = "openspiel/chess"
SPIN = "while True: pass"
TOURNAMENT = """\
format = 1
name = "engines"
seed = 1
boards = ["{board}"]
repeats = {repeats}
keep = {keep}

[openings]
file = "openings.txt"

[time]
start = 30.0
move = {move}
bank = 0.0
margin = {margin}
"""
BOT = """
[[bot]]
name = "{name}"
bridge = "uci"
command = "{engine}"
options = {options}
"""


class Played(NamedTuple):
    """What one runner found."""

    games: int
    points: float
    """Of the stronger bot; a draw is half a point."""
    decisive: int
    plies: int
    time_losses: int
    seconds: float
    cpu_s: float

    def row(self, name: str, against: "Played") -> list[object]:
        """Return a row of the table, with its ratio to another runner."""
        cpu_ms = 1000 * self.cpu_s / self.plies
        theirs_ms = 1000 * against.cpu_s / against.plies
        return [
            name,
            self.games,
            f"{self.points:.1f}",
            f"{self.plies / self.seconds:.0f}",
            f"{cpu_ms:.1f}",
            f"{cpu_ms / theirs_ms:.2f}",
            self.time_losses,
        ]


HEAD = ("", "games", "points of the stronger", "plies a second")
HEAD += ("CPU ms a ply", "ratio", "time losses")


def by_fastchess(
    fastchess: Path, engine: Path, folder: Path, games: int, *, kept: bool, timed: bool
) -> Played:
    """Play the games with fastchess, and count them in the PGN file that it writes."""
    record = folder / "games.pgn"
    record.unlink(missing_ok=True)  # fastchess appends to it
    command = [str(fastchess)]
    for name, skill in STRENGTHS.items():
        command += ["-engine", f"cmd={engine}", f"name={name}", f"option.Skill Level={skill}"]
        command += ["restart=off" if kept else "restart=on"]
    if timed:
        command += ["-each", f"st={MOVE_S}", f"timemargin={round(1000 * MARGIN_S)}"]
    else:
        command += ["-each", "tc=600+10", f"nodes={NODES}"]
    command += ["option.Threads=1", "option.Hash=16"]
    command += ["-openings", f"file={folder / 'openings.pgn'}", "format=pgn", "order=sequential"]
    command += ["-rounds", str(games // 2), "-games", "2", "-repeat"]
    command += ["-concurrency", str(len(system.cores())), "-force-concurrency"]
    command += ["-pgnout", f"file={record}"]
    seconds, cpu_s = _measured(command, folder)
    text = record.read_text()
    whites = re.findall(r'^\[White "(\w+)"\]', text, re.MULTILINE)
    results = re.findall(r'^\[Result "([^"]+)"\]', text, re.MULTILINE)
    lengths = re.findall(r'^\[PlyCount "(\d+)"\]', text, re.MULTILINE)
    endings = re.findall(r'^\[Termination "([^"]+)"\]', text, re.MULTILINE)
    points = 0.0
    for white, result in zip(whites, results, strict=True):
        if result == "1/2-1/2":
            points += 0.5
        elif (result == "1-0") == (white == "strong"):
            points += 1
    return Played(
        games=len(results),
        points=points,
        decisive=sum(result != "1/2-1/2" for result in results),
        plies=sum(map(int, lengths)),
        time_losses=endings.count("time forfeit"),
        seconds=seconds,
        cpu_s=cpu_s,
    )


def by_arena(engine: Path, folder: Path, games: int, *, kept: bool, timed: bool) -> Played:
    """Play the games with arena, and count them in its archive."""
    shutil.rmtree(folder / "results", ignore_errors=True)
    limits = (MOVE_S, MARGIN_S) if timed else (600.0, 0.0)
    text = TOURNAMENT.format(
        board=BOARD,
        repeats=games // 2,
        move=limits[0],
        margin=limits[1],
        keep="true" if kept else "false",
    )
    for name, skill in STRENGTHS.items():
        options = f'Threads = 1, Hash = 16, "Skill Level" = {skill}'
        if not timed:
            options += f', go = "nodes {NODES}"'
        text += BOT.format(name=name, engine=engine, options=f"{{ {options} }}")
    (folder / "tournament.toml").write_text(text)
    command = [sys.executable, "-m", "arena", "run", "--no-charts"]
    seconds, cpu_s = _measured(command, folder)
    points = 0.0
    decisive = plies = time_losses = played = 0
    with Archive.open(folder / "results/engines") as archive:
        for record in archive.records():
            played += 1
            plies += len(record.turns)
            roles = {seat.bot: seat.role for seat in record.seats}
            strong = record.verdict.scores[roles["strong"]]
            weak = record.verdict.scores[roles["weak"]]
            decisive += strong != weak
            points += strong / (strong + weak)
            for fault in record.verdict.faults:
                time_losses += fault.ending is Ending.TIMEOUT
    return Played(played, points, decisive, plies, time_losses, seconds, cpu_s)


def _measured(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run a command in a folder; return its seconds, and the CPU seconds of all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)}\nended with {done.returncode}:\n"
            f"{(done.stdout + done.stderr)[-2000:]}"
        )
    used_before = before.ru_utime + before.ru_stime
    return seconds, after.ru_utime + after.ru_stime - used_before


def write_openings(folder: Path, count: int) -> None:
    """Write so many openings, for arena and as PGN."""
    command = [sys.executable, "-m", "arena", "openings", BOARD]
    command += ["--plies", str(OPENING_PLIES), "--count", str(count)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    (folder / "openings.txt").write_text(done.stdout)
    games = []
    for line in done.stdout.splitlines():
        moves = [move.split()[1] for move in line.partition(": ")[2].split("; ")]
        numbered = []
        for number in range(0, len(moves), 2):
            numbered.append(f"{number // 2 + 1}. {' '.join(moves[number : number + 2])}")
        games.append(f'[Event "opening"]\n[Result "*"]\n\n{" ".join(numbered)} *\n')
    (folder / "openings.pgn").write_text("\n".join(games))


@contextmanager
def busy(spinners: int) -> Iterator[None]:
    """Keep the cores busy with so many programs."""
    command = [sys.executable, "-S", "-c", SPIN]
    programs = [subprocess.Popen(command, start_new_session=True) for _ in range(spinners)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def compare(fastchess: Path, engine: Path, games: int) -> None:
    """Print all tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_openings(folder, games // 2)
        for kept in (True, False):
            kind = "kept" if kept else "new for each game"
            title = f"{NODES:,} nodes a move, engines {kind}; load {os.getloadavg()[0]:.1f}"
            theirs = by_fastchess(fastchess, engine, folder, games, kept=kept, timed=False)
            ours = by_arena(engine, folder, games, kept=kept, timed=False)
            title += f"; {_difference(theirs, ours)}"
            print_table(title, HEAD, (theirs.row("fastchess", theirs), ours.row("arena", theirs)))
        for spinners in (0, SPINNERS):
            load = f"beside {spinners} programs that spin" if spinners else "alone"
            title = f"{MOVE_S} s a move, margin {MARGIN_S} s, {load}"
            with busy(spinners):
                theirs = by_fastchess(fastchess, engine, folder, games, kept=True, timed=True)
                ours = by_arena(engine, folder, games, kept=True, timed=True)
            print_table(title, HEAD, (theirs.row("fastchess", theirs), ours.row("arena", theirs)))


def _difference(theirs: Played, ours: Played) -> str:
    """Return how far apart the scores are, in standard errors of their difference.

    The error is that of games which are independent, each decided or drawn as often as here.
    """
    variance = 0.0
    for played in (theirs, ours):
        share = played.points / played.games
        second_moment = (played.points - (played.games - played.decisive) / 4) / played.games
        variance += (second_moment - share**2) / played.games
    apart = ours.points / ours.games - theirs.points / theirs.games
    errors = apart / math.sqrt(variance) if variance else 0.0
    return f"scores {100 * apart:+.1f} % apart, {errors:+.1f} standard errors"


def main() -> None:
    """Read the command line, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("fastchess", type=Path, help="the program fastchess")
    parser.add_argument("--engine", type=Path, default=Path("/usr/games/stockfish"))
    parser.add_argument("--games", type=int, default=100, help="an even number")
    options = parser.parse_args()
    for program in (options.fastchess, options.engine):
        if not os.access(program, os.X_OK) or program.is_dir():
            parser.error(f"{program}: no such program")
    compare(options.fastchess.resolve(), options.engine.resolve(), options.games)


if __name__ == "__main__":
    main()
