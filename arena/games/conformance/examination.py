"""The rules of a file, examined in a process of their own.

The rules may end this process, never answer, or take all memory. This file owns the limits, and
what the author of the rules reads. The process that calls it imports no rules.
"""

import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

from arena import rulefile
from arena.errors import ArenaError
from arena.game import Game
from arena.games import rulebook
from arena.games.conformance import (
    Flaw,
    doubts,
    examine,
    raised,
    transcript,
)
from arena.limited import LimitedError, limited, limited_value
from arena.values import Board

MEMORY_BYTES = 2_000_000_000
CPU_SECONDS = 30
"""For a single match with all laws. The slowest game of OpenSpiel takes 8 s."""
WALL_SECONDS = 120.0
HASH_SEEDS = ("1", "2")
Findings: TypeAlias = tuple[list[Flaw], list[Flaw]]
"""The flaws of a board, and its doubts."""
TRANSCRIPT = """
import json, os, pathlib, sys
from arena import rulefile
from arena.games.conformance import transcript
print()
print(json.dumps(transcript(rulefile.load(pathlib.Path(sys.argv[1]), sys.argv[2]))), flush=True)
os._exit(0)
"""


def boards_of(query: str) -> tuple[Board, ...]:
    """Return the boards that a query means, as `rulebook.find` does.

    Raise ArenaError for whatever keeps them from loading.
    """
    find = partial(rulebook.find, query)
    try:
        return limited_value(
            find,
            memory=MEMORY_BYTES,
            cpu=CPU_SECONDS,
            wall=WALL_SECONDS,
        )
    except LimitedError as error:
        raise ArenaError(f"when {query} is loaded, {_cause(error)}") from error


def examined(board: Board, playouts: int, seed: int) -> Findings:
    """Return the flaws of a board, and for a board without flaws the doubts."""
    work = partial(_examine, board, playouts, seed)
    try:
        *_, result = limited(
            work,
            memory=MEMORY_BYTES,
            cpu=CPU_SECONDS,
            wall=WALL_SECONDS,
        )
    except LimitedError as error:
        return [Flaw(words=f"when it is played, {_cause(error)}")], []
    return result


def _examine(board: Board, playouts: int, seed: int) -> Iterator[Findings]:
    game = rulebook.game_of(board)
    flaws: list[Flaw] = []
    for flaws in examine(game, playouts, seed):
        yield flaws, []
    if not flaws:
        flaws = differences(game, Path(board.rules), board.name)
    if flaws:
        yield flaws, []
    else:
        yield [], doubts(game)


def _cause(error: LimitedError) -> str:
    """Return how the rules ended the process, with the line where that is known."""
    for frame in error.places:
        if _is_of_rules(frame.file):
            file = Path(frame.file).name
            return f"it {error} ({file}, line {frame.line}, in {frame.function})"
    return f"it {error}"


def _is_of_rules(source: str) -> bool:
    """Return whether a file has rules, and is not one of arena, Python or an installed package."""
    file = Path(source)
    if file.is_relative_to(rulefile.shipped()):
        return True
    if source.startswith("<"):
        return False
    folders = [str(Path(rulefile.__file__).parent)]
    folders += sysconfig.get_paths().values()
    return not any(file.is_relative_to(folder) for folder in folders)


def differences(game: Game[object], path: Path, board: str) -> list[Flaw]:
    """Return a flaw if the same moves give other facts, legal moves or outcomes in another process.

    Return `[]` otherwise. With such a flaw no record of the game could be replayed. Python orders
    a set of texts differently in each process (PYTHONHASHSEED), so a test in one process never
    shows that the rules depend on such an order.
    """
    try:
        states_here = transcript(game)
    except Exception as error:  # noqa: BLE001 (a state that no law has seen)
        return [Flaw(words=raised(error))]
    for seed in HASH_SEEDS:
        environment = {
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(Path(__file__).parents[3]),
        }
        # The rules may print, at any time and without an end of line, and end the process.
        finished = subprocess.run(
            [sys.executable, "-c", TRANSCRIPT, str(path), board],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            finished.check_returncode()
            last_line = finished.stdout.splitlines()[-1]
            states_there: list[list[str]] = json.loads(last_line)
        except (subprocess.CalledProcessError, IndexError, ValueError):
            return [_not_played(finished)]

        states = zip(states_here, states_there, strict=False)
        for turn, (here, there) in enumerate(states):
            if here != there:
                return [_difference(turn, here, there)]
        if len(states_here) != len(states_there):
            return [Flaw(words="the same moves make a match of another length in another process")]
    return []


def _not_played(finished: subprocess.CompletedProcess[str]) -> Flaw:
    """Return the flaw of rules whose other process printed no transcript."""
    errors = finished.stderr.strip().splitlines()
    cause = f"it ends with exit code {finished.returncode}"
    if errors:
        cause = errors[-1]
    sentence = f"the same random matches cannot be played in another process: {cause}"
    return Flaw(words=sentence)


def _difference(
    turn: int,
    lines_here: list[str],
    lines_there: list[str],
) -> Flaw:
    """Return the flaw of rules that describe a state by other lines in another process."""
    if sorted(lines_here) == sorted(lines_there):
        sentence = (
            "facts or legal moves stand in another order in another process: "
            "sort what comes out of a set"
        )
    else:
        sentence = (
            "facts or legal moves are others in another process: "
            "leave out what hangs on hash() or on the clock"
        )
    facts = []
    for here, there in zip(lines_here, lines_there, strict=False):
        if here != there:
            facts.append(f"{here}   (there: {there})")
    return Flaw(words=sentence, turn=turn, facts=tuple(facts[:5]))
