"""Ours beside its peers, in plies a second: `python benchmarks/peers.py --fastchess PATH --brutaltester JAR`.

Every game has PLIES plies between two players that answer at once, in C and in Python, so that what is measured is
the runner. Peers know other games than ours, so each has players of its own:

- fastchess: UCI engines that play one legal game of chess from a file, in which no position stands three times, until
  `-maxmoves` ends it. Its rules of chess are in the figure, as those of Mummy Maze are in ours.
- cg-brutaltester (`-o`): a referee of its protocol that asks both players in turn and checks nothing, in the language
  of the players. It always starts them anew.

Peers neither confine players nor freeze them, so ours has rows without either too. What a runner needs to start and to
end is taken out: a figure comes from the difference of a run of few games and one of many. A peer that is not given
has no row.
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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duel
from matches import LEVELS
from side_by_side import compiled, measured, on, show

from arena.event.workers import Workers
from arena.match.play import play
from arena.sandbox import cores
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Match

PLIES = 100
FEW, MANY = 4, 44
"""Games a lane of the short and of the long run."""
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
Rate = Callable[[], float]


def chess_game() -> Iterator[str]:
    """Yield the moves of a legal game of PLIES plies.

    After each move of a pawn both sides move a knight there and back, so that a position stands twice at most, and the
    rule of fifty moves is far away.
    """
    for number, pawn in enumerate(PAWNS):
        yield pawn
        mine, other = KNIGHTS[number % 2], KNIGHTS[1 - number % 2]
        yield from (other[0], mine[0], other[1], mine[1])


def ours(bot: Bot, board: object, lanes: int, pin: bool, **conditions: object) -> Rate:
    """Plies a second of matches of a bot against itself."""

    def measure() -> float:
        first, numbers = [0] * FEW * lanes, iter(range((MANY - FEW) * lanes))
        with Workers(lanes, pin=pin) as workers:
            with_number = lambda number: duel.match(board, bot, number, **conditions)  # type: ignore[arg-type]  # noqa: E731
            list(workers.map(_played, lambda: with_number(first.pop()) if first else None))  # now all is warm
            matches = (with_number(number) for number in numbers)
            began, plies = time.perf_counter(), 0
            for done in workers.map(_played, lambda: next(matches, None)):
                if done.failure or done.result is None:
                    raise RuntimeError(done.failure or "a bot was at fault")
                plies += done.result
            return plies / (time.perf_counter() - began)

    return measure


def _played(launcher: Launcher, match: Match) -> int | None:
    record = play(match, launcher=launcher)
    return None if record.verdict.faults else len(record.turns)


def rate_of(command: Callable[[int], Sequence[str]], lanes: int, folder: Path) -> Rate:
    """Plies a second of a peer; `command` returns the command line that plays so many games."""

    def seconds(games: int) -> float:
        began = time.perf_counter()
        _run(command(games), folder)
        return time.perf_counter() - began

    def measure() -> float:
        short, long = seconds(FEW * lanes), seconds(MANY * lanes)
        return (MANY - FEW) * lanes * PLIES / max(long - short, 1e-9)

    return measure


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def fastchess(program: Path, engine: Sequence[str], lanes: int, *extra: str) -> Callable[[int], Sequence[str]]:
    """Return the command line of fastchess for a number of games, an even one, of an engine against itself."""

    def command(games: int) -> Sequence[str]:
        engines = [
            word
            for name in ("one", "two")
            for word in ("-engine", f"cmd={engine[0]}", f"args={' '.join(engine[1:])}", f"name={name}")
        ]
        each = ["-each", "tc=60+10", *(word for word in extra if "=" in word)]
        how_many = ["-rounds", str(games // 2), "-games", "2", "-maxmoves", str(PLIES // 2)]
        lanes_ = ["-concurrency", str(lanes), "-force-concurrency"]
        return [str(program), *engines, *each, *how_many, *lanes_, *(word for word in extra if "=" not in word)]

    return command


def check_fastchess(program: Path, engine: Sequence[str], folder: Path) -> None:
    """End with a message unless fastchess plays games of PLIES plies with these options."""
    record = folder / "games.pgn"
    _run([*fastchess(program, engine, 1)(2), "-pgnout", f"file={record}"], folder)
    lengths = re.findall(r'^\[PlyCount "(\d+)"\]', record.read_text() if record.exists() else "", re.MULTILINE)
    if lengths != [str(PLIES)] * 2:
        raise SystemExit(
            f"{program}: played games of {', '.join(lengths) or 'unknown'} plies instead of two of {PLIES}"
        )


def brutaltester(
    jar: Path, referee: Sequence[str], player: Sequence[str], lanes: int
) -> Callable[[int], Sequence[str]]:
    """Return the command line of cg-brutaltester for a number of games of a player against itself."""

    def command(games: int) -> Sequence[str]:
        players = ["-p1", " ".join(player), "-p2", " ".join(player)]
        how_many = ["-n", str(games), "-t", str(lanes)]
        return ["java", "-jar", str(jar), "-o", "-r", " ".join([*referee, str(PLIES)]), *players, *how_many]

    return command


def check_brutaltester(command: Sequence[str], games: int, folder: Path) -> None:
    """End with a message unless all games of this command line came to their end."""
    ended = _run(command, folder).count("End of game ")
    if ended != games:
        raise SystemExit(f"{' '.join(command)}\nended {ended} of {games} games")


def arguments() -> argparse.Namespace:
    """Return the options, with peers that are there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fastchess", type=Path, help="the program fastchess")
    parser.add_argument("--brutaltester", type=Path, help="the file cg-brutaltester.jar; java must be in the PATH")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.fastchess is None:
        print("skipped: fastchess; give its path: --fastchess PATH")
    elif not os.access(options.fastchess, os.X_OK) or options.fastchess.is_dir():
        parser.error(f"--fastchess {options.fastchess}: no such program")
    else:
        options.fastchess = options.fastchess.resolve()
    if options.brutaltester is None:
        print("skipped: cg-brutaltester; give its path: --brutaltester JAR")
    elif not options.brutaltester.is_file():
        parser.error(f"--brutaltester {options.brutaltester}: no such file")
    elif shutil.which("java") is None:
        print("skipped: cg-brutaltester; there is no java in the PATH")
        options.brutaltester = None
    else:
        options.brutaltester = options.brutaltester.resolve()
    return options


def compare(options: argparse.Namespace, folder: Path) -> None:
    """Print a table for each language, with kept and with fresh players, of one lane and of two."""
    game, python = folder / "game", (sys.executable, "-s", "-B", "-u")
    game.write_text("\n".join(chess_game()))
    scripts = {"uci_engine": UCI_ENGINE, "cg_referee": CG_REFEREE, "cg_player": CG_PLAYER}
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text)
    players = {"Python": (duel.python_bot(), {name: (*python, str(folder / f"{name}.py")) for name in scripts})}
    programs = {name: compiled(f"{name}.c") for name in ("bot", *scripts)}
    if all(programs.values()):
        own = duel.program_bot(programs.pop("bot"))  # type: ignore[arg-type]
        players["C"] = (own, {name: (str(program),) for name, program in programs.items()})
    else:
        print("skipped: players in C; there is no compiler")
    board, free = duel.board(PLIES), set(cores.available())
    level = LEVELS[0]
    for (language, (bot, commands)), keep, lanes in itertools.product(
        players.items(), (True, False), sorted({1, min(2, len(free))})
    ):
        rows: dict[str, Rate] = {}
        for pin, (freeze, sandbox) in itertools.product(
            (True, False), ((True, level), (False, level), (False, "none"))
        ):
            where = "pinned" if pin else "free"
            confined = sandbox if sandbox != "none" else "not confined"
            name = f"ours, {where}, {'frozen' if freeze else 'not frozen'}, {confined}"
            rows[name] = ours(bot, board, lanes, pin, freeze=freeze, sandbox=sandbox, keep=keep)
        if options.fastchess:
            engine = (*commands["uci_engine"], str(game))
            check_fastchess(options.fastchess, engine, folder)
            restart = () if keep else ("restart=on",)
            plain = rate_of(fastchess(options.fastchess, engine, lanes, *restart), lanes, folder)
            affinity = fastchess(options.fastchess, engine, lanes, *restart, "-use-affinity")
            pinned = on({min(free)}, plain) if lanes == 1 else rate_of(affinity, lanes, folder)
            rows |= {"fastchess, pinned": pinned, "fastchess, free": plain}
        if options.brutaltester and not keep:
            command = brutaltester(options.brutaltester, commands["cg_referee"], commands["cg_player"], lanes)
            check_brutaltester(command(FEW), FEW, folder)
            plain = rate_of(command, lanes, folder)
            rows |= {"cg-brutaltester, pinned": on({min(free)}, plain)} if lanes == 1 else {}
            rows["cg-brutaltester, free"] = plain
        kind = "kept from game to game" if keep else "fresh for each game"
        title = f"Plies a second, players in {language}, {kind}, {lanes} lane{'s' * (lanes > 1)}"
        show(title, "/s", measured(rows, options.rounds), next(iter(rows)), more_is_better=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        compare(arguments(), Path(name))
