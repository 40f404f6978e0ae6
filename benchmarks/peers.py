"""Plies a second and CPU time beside fastchess and cg-brutaltester: `python benchmarks/peers.py
--fastchess PATH --brutaltester JAR`.

Every game has PLIES plies between two players that answer at once, in C and in Python, so that what
is measured is the runner. Peers know other games than ours, so each has players of its own:

- fastchess: UCI engines that play one legal game of chess from a file, in which no position stands
  three times, until `-maxmoves` ends it. Its rules of chess are in the figure, as those of Mummy
  Maze are in ours.
- cg-brutaltester (`-o`): a referee of its protocol that asks both players in turn and checks
  nothing, in C and in the language of the players. It always starts referee and players anew.

Plies a second is what a user sees, and other programs on the machine disturb it. The CPU time of a
match (user and system, of the runner and all that it started) is disturbed less.

Peers neither confine players nor freeze them, so ours has rows without either too. What a runner
needs to start and to end is taken out. A peer that is not given has no row. The ratios are to a
peer if there is one.
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import duel
from matches import LEVELS
from side_by_side import Rounds, compiled, figure, measured, on
from tables import Goal, print_table, ratio_cell

from arena import system
from arena.event.workers import Workers
from arena.match.play import play
from arena.sandbox import procfs
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Match

PLIES = 100
FEW, MANY = 4, 44
"""Games a lane before the clock is read for the first time and for the last time."""
LEAST_S, MOST = 3.0, 50_000
"""The seconds by which a run of fastchess must be longer than a short one, and the most games a
lane to reach that: kept engines play 40 games in a tenth of a second, by which the start and the
end of a run may differ from another's."""
JAVA_FEW, JAVA_MANY = 100, 300
"""The same for cg-brutaltester, on all lanes together: Java compiles most of its code during the
first hundred games, which take two to three times as much CPU time as the next ones."""
GAME_ENDED = "End of game "
"""The beginning of the line that cg-brutaltester prints after each game."""
OURS = ((True, True, True), (True, False, False), (False, True, True))
"""How our rows are played: pinned, frozen, confined."""
HEAD = ("", "plies a second", "least to most", "ratio", "CPU ms a match", "ratio")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
UCI_ENGINE = """\
import sys
moves = open(sys.argv[1]).read().split()
for line in sys.stdin:
    if line.startswith("position"): ply = max(0, len(line.split()) - 3)
    elif line.startswith("go"): print("info depth 1 score cp 0\\nbestmove", moves[ply], flush=True)
    elif line == "isready\\n": print("readyok", flush=True)
    elif line == "uci\\n": print("id name scripted\\nid author arena\\nuciok", flush=True)
    elif line == "quit\\n": break
"""
CG_REFEREE = """\
import sys
sys.stdin.readline()
for turn in range(int(sys.argv[1])):
    print(f"###Input {turn % 2}\\nturn {turn}\\n###Output {turn % 2} 1", flush=True)
    sys.stdin.readline()
print("###End 0 1", flush=True)
"""
CG_PLAYER = """\
import sys
for line in sys.stdin: print("north", flush=True)
"""
PAWNS = (
    *("a2a3", "a7a6", "b2b3", "b7b6", "g2g3", "g7g6", "h2h3", "h7h6", "d2d3", "d7d6"),
    *("e2e3", "e7e6", "f2f3", "f7f6", "a3a4", "a6a5", "h3h4", "h6h5", "d3d4", "d6d5"),
)
KNIGHTS = ("b1c3", "c3b1"), ("b8c6", "c6b8")


class Figures(NamedTuple):
    """What one round tells of one runner."""

    plies_a_second: float
    cpu_ms: float
    """CPU milliseconds of a match, of the runner and all that it started."""


Measure = Callable[[], Figures]


def chess_game() -> Iterator[str]:
    """Yield the moves of a legal game of PLIES plies.

    After each move of a pawn both sides move a knight there and back, so that a position stands
    twice at most, and the rule of fifty moves is far away.
    """
    for number, pawn in enumerate(PAWNS):
        yield pawn
        mine, other = KNIGHTS[number % 2], KNIGHTS[1 - number % 2]
        yield from (other[0], mine[0], other[1], mine[1])


def ours(bot: Bot, board: object, lanes: int, pin: bool, **conditions: object) -> Measure:
    """Return what measures matches of a bot against itself."""

    def measure() -> Figures:
        first, numbers = [0] * FEW * lanes, iter(range((MANY - FEW) * lanes))
        with Workers(lanes, pin=pin) as workers:
            with_number = lambda number: duel.match(  # noqa: E731
                board,
                bot,
                number,
                **conditions,  # type: ignore[arg-type]
            )
            list(
                workers.map(_played, lambda: with_number(first.pop()) if first else None)
            )  # now all is warm
            matches = (with_number(number) for number in numbers)
            cpu_before, began, plies = cpu_seconds(os.getpid()), time.perf_counter(), 0
            for done in workers.map(_played, lambda: next(matches, None)):
                if done.failure or done.result is None:
                    raise RuntimeError(done.failure or "a bot was at fault")
                plies += done.result
            seconds, cpu = time.perf_counter() - began, cpu_seconds(os.getpid()) - cpu_before
            return Figures(plies / seconds, 1000 * cpu * PLIES / plies)

    return measure


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, of its living descendants, and of those that they have
    waited for.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):  # it has ended since its parent listed it
        return 0.0
    own = (
        sum(map(int, fields[11:15])) / TICKS_A_SECOND
    )  # utime, stime, cutime, cstime: proc_pid_stat(5)
    return own + sum(map(cpu_seconds, procfs.children(pid)))


def _played(launcher: Launcher, match: Match) -> int | None:
    record = play(match, launcher=launcher)
    return None if record.verdict.faults else len(record.turns)


def fastchess_figures(command: Callable[[int], Sequence[str]], lanes: int, folder: Path) -> Measure:
    """Return what measures fastchess, by the difference of two whole runs; `command` plays a number
    of games.

    It holds its output back when that goes into a pipe, so its lines don't show when a game ended.
    """
    few, many = FEW * lanes, MANY * lanes

    def used(games: int) -> tuple[float, float]:
        began, before = time.perf_counter(), os.times()
        _run(command(games), folder)
        after = os.times()
        cpu = (
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
        return time.perf_counter() - began, cpu

    def measure() -> Figures:
        nonlocal many  # a later round begins with as many games
        short, short_cpu = used(few)
        while True:
            long, long_cpu = used(many)
            if long - short >= LEAST_S and long_cpu > short_cpu:
                break
            if many >= MOST * lanes:
                raise SystemExit(
                    f"{command(many)[0]}: {many} games took {long:.1f} s ({long_cpu:.1f} s of CPU) "
                    f"and {few} games "
                    f"{short:.1f} s ({short_cpu:.1f} s), too little of a difference to tell what a "
                    "game takes"
                )
            many *= 4
        games = many - few
        return Figures(games * PLIES / (long - short), 1000 * (long_cpu - short_cpu) / games)

    return measure


def brutaltester_figures(command: Callable[[int], Sequence[str]], folder: Path) -> Measure:
    """Return what measures cg-brutaltester, by the lines that it prints; `command` plays a number
    of games.
    """

    def measure() -> Figures:
        argv = command(JAVA_MANY)
        with subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            lines = process.stdout or ()
            moments = [
                (time.perf_counter(), cpu_seconds(process.pid))
                for line in lines
                if GAME_ENDED in line
            ]
        if process.returncode or len(moments) != JAVA_MANY:
            raise SystemExit(
                f"{' '.join(argv)}\nplayed {len(moments)} games, exit status {process.returncode}"
            )
        (began, cpu_before), (ended, cpu) = moments[JAVA_FEW - 1], moments[-1]
        games = JAVA_MANY - JAVA_FEW
        return Figures(games * PLIES / (ended - began), 1000 * (cpu - cpu_before) / games)

    return measure


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)}\nended with {done.returncode}:\n"
            f"{(done.stdout + done.stderr)[-2000:]}"
        )
    return done.stdout


def fastchess(
    program: Path, engine: Sequence[str], lanes: int, *extra: str
) -> Callable[[int], Sequence[str]]:
    """Return the command line of fastchess for a number of games, an even one, of an engine against
    itself.

    It plays rounds of two games, in which the engines change sides (`-repeat` would say the same as
    `-games 2`).
    """

    def command(games: int) -> Sequence[str]:
        engines = [
            word
            for name in ("one", "two")
            for word in (
                "-engine",
                f"cmd={engine[0]}",
                f"args={' '.join(engine[1:])}",
                f"name={name}",
            )
        ]
        each = ["-each", "tc=60+10", *(word for word in extra if "=" in word)]
        how_many = ["-rounds", str(games // 2), "-games", "2", "-maxmoves", str(PLIES // 2)]
        lanes_ = ["-concurrency", str(lanes), "-force-concurrency"]
        return [
            str(program),
            *engines,
            *each,
            *how_many,
            *lanes_,
            *(word for word in extra if "=" not in word),
        ]

    return command


def check_fastchess(program: Path, engine: Sequence[str], folder: Path) -> None:
    """End with a message unless fastchess plays two rounds of two games of PLIES plies with these
    options.
    """
    record = folder / "games.pgn"
    record.unlink(missing_ok=True)  # fastchess appends to it
    _run([*fastchess(program, engine, 1)(4), "-pgnout", f"file={record}"], folder)
    tags = re.findall(
        r'^\[(Round|PlyCount) "(\d+)"\]',
        record.read_text() if record.exists() else "",
        re.MULTILINE,
    )
    rounds = sorted(Counter(value for tag, value in tags if tag == "Round").values())
    lengths = [value for tag, value in tags if tag == "PlyCount"]
    if rounds != [2, 2] or lengths != [str(PLIES)] * 4:
        raise SystemExit(
            f"{program}: played rounds of {', '.join(map(str, rounds)) or 'no'} games, and games "
            "of "
            f"{', '.join(lengths) or 'unknown'} plies, instead of two rounds of two games of "
            f"{PLIES}"
        )


def brutaltester(
    jar: Path, referee: Sequence[str], player: Sequence[str], lanes: int
) -> Callable[[int], Sequence[str]]:
    """Return the command line of cg-brutaltester for a number of games of a player against
    itself.
    """

    def command(games: int) -> Sequence[str]:
        players = ["-p1", " ".join(player), "-p2", " ".join(player)]
        how_many = ["-n", str(games), "-t", str(lanes)]
        return [
            "java",
            "-jar",
            str(jar),
            "-o",
            "-r",
            " ".join([*referee, str(PLIES)]),
            *players,
            *how_many,
        ]

    return command


def check_brutaltester(command: Sequence[str], games: int, folder: Path) -> None:
    """End with a message unless all games of this command line came to their end."""
    ended = _run(command, folder).count(GAME_ENDED)
    if ended != games:
        raise SystemExit(f"{' '.join(command)}\nended {ended} of {games} games")


def skipped(what: str) -> None:
    """Say what is not measured."""
    print(f"skipped: {what}", file=sys.stderr)


def arguments() -> argparse.Namespace:
    """Return the options, with peers that are there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fastchess", type=Path, help="the program fastchess")
    parser.add_argument(
        "--brutaltester", type=Path, help="the file cg-brutaltester.jar; java must be in the PATH"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--players", choices=("Python", "C"), help="only players in this language")
    parser.add_argument("--lanes", type=int, choices=(1, 2), help="how many lanes")
    parser.add_argument(
        "--fresh", action="store_true", help="only players that are started anew for each game"
    )
    options = parser.parse_args()
    if (options.lanes or 1) > len(system.cores()):
        parser.error(f"--lanes {options.lanes}: this process may use one core only")
    if options.fastchess is None:
        skipped("fastchess; give its path: --fastchess PATH")
    elif not os.access(options.fastchess, os.X_OK) or options.fastchess.is_dir():
        parser.error(f"--fastchess {options.fastchess}: no such program")
    else:
        options.fastchess = options.fastchess.resolve()
    if options.brutaltester is None:
        skipped("cg-brutaltester; give its path: --brutaltester JAR")
    elif not options.brutaltester.is_file():
        parser.error(f"--brutaltester {options.brutaltester}: no such file")
    elif shutil.which("java") is None:
        skipped("cg-brutaltester; there is no java in the PATH")
        options.brutaltester = None
    else:
        options.brutaltester = options.brutaltester.resolve()
    return options


def compare(options: argparse.Namespace, folder: Path) -> None:
    """Print tables for each language, with kept and with fresh players, of one lane and of two."""
    game, python = folder / "game", (sys.executable, "-s", "-B", "-u")
    game.write_text("\n".join(chess_game()))
    scripts = {"uci_engine": UCI_ENGINE, "cg_referee": CG_REFEREE, "cg_player": CG_PLAYER}
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text)
    players = {
        "Python": (
            duel.python_bot(),
            {name: (*python, str(folder / f"{name}.py")) for name in scripts},
        )
    }
    programs = {name: compiled(f"{name}.c") for name in ("bot", *scripts)}
    if all(programs.values()):
        own = duel.program_bot(programs.pop("bot"))  # type: ignore[arg-type]
        players["C"] = (own, {name: (str(program),) for name, program in programs.items()})
    else:
        skipped("players in C; there is no compiler")
    referees = {language: commands["cg_referee"] for language, (_, commands) in players.items()}
    board, free = duel.board(PLIES), set(system.cores())
    level = LEVELS[0]
    languages = [language for language in players if options.players in (None, language)]
    lane_counts = [options.lanes] if options.lanes else sorted({1, min(2, len(free))})
    for language, keep, lanes in itertools.product(
        languages, (False,) if options.fresh else (True, False), lane_counts
    ):
        bot, commands = players[language]
        rows: dict[str, Measure] = {}
        for pin, freeze, sandbox in OURS:
            where = "pinned" if pin else "free"
            confined = level if sandbox else "not confined"
            name = f"ours, {where}, {'frozen' if freeze else 'not frozen'}, {confined}"
            rows[name] = ours(
                bot,
                board,
                lanes,
                pin,
                freeze=freeze,
                sandbox=level if sandbox else "none",
                keep=keep,
            )
        if language == "Python" and not keep:  # peers start each interpreter cold
            rows[f"ours, pinned, frozen, {level}, cold"] = ours(
                bot, board, lanes, True, freeze=True, sandbox=level, keep=keep, warm=False
            )
        if options.fastchess:
            engine = (*commands["uci_engine"], str(game))
            check_fastchess(options.fastchess, engine, folder)
            restart = () if keep else ("restart=on",)
            plain = fastchess_figures(
                fastchess(options.fastchess, engine, lanes, *restart), lanes, folder
            )
            affinity = fastchess(options.fastchess, engine, lanes, *restart, "-use-affinity")
            pinned = (
                on({min(free)}, plain) if lanes == 1 else fastchess_figures(affinity, lanes, folder)
            )
            rows |= {"fastchess, pinned": pinned, "fastchess, free": plain}
        if options.brutaltester and not keep:
            for its_language in dict.fromkeys(("C", language)):
                if its_language in referees:
                    command = brutaltester(
                        options.brutaltester, referees[its_language], commands["cg_player"], lanes
                    )
                    check_brutaltester(command(FEW), FEW, folder)
                    plain = brutaltester_figures(command, folder)
                    name = f"cg-brutaltester, its referee in {its_language}"
                    rows |= {f"{name}, pinned": on({min(free)}, plain)} if lanes == 1 else {}
                    rows[f"{name}, free"] = plain
        kind = "kept from game to game" if keep else "fresh for each game"
        title = f"Players in {language}, {kind}, {lanes} lane{'s' * (lanes > 1)}"
        found = measured(rows, options.rounds)
        print_table(
            f"{title} ({next(iter(found.values())).conditions()})",
            HEAD,
            compared(found, language, keep),
        )


def compared(found: dict[str, Rounds[Figures]], language: str, keep: bool) -> Iterator[list[str]]:
    """Yield a row for each runner, with its ratios to the first peer; our first row has goals."""
    first = next(iter(found))
    against = next((name for name in found if not name.startswith("ours")), first)
    quick, cheap = goals_of(against, language, keep)
    its_plies, its_cpu = (median(figures) for figures in zip(*found[against], strict=True))
    for name, rounds in found.items():
        plies, cpu = zip(*rounds, strict=True)
        goals = (quick, cheap) if name == first else (None, None)
        yield [
            name,
            figure(median(plies)),
            f"{figure(min(plies))} to {figure(max(plies))}",
            ratio_cell(median(plies) / its_plies, goals[0]),
            figure(median(cpu)),
            ratio_cell(median(cpu) / its_cpu, goals[1]),
        ]


def goals_of(against: str, language: str, keep: bool) -> tuple[Goal | None, Goal | None]:
    """Return what our plies a second and our CPU time should be, beside this runner."""
    if "brutaltester" in against:
        return Goal(least=1.0 if language == "C" else 3.0), None
    if "fastchess" in against and keep:
        return None, Goal(most=1.3)
    return None, None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        compare(arguments(), Path(name))
