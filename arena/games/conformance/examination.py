"""The rules of a file, examined in a process of their own.

The rules may end this process, never answer, or take all memory. It owns the limits, and who is
told what. The process that calls it imports no rules.
"""

import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from arena import rulefile
from arena.errors import ArenaError
from arena.game import Game
from arena.games import rulebook
from arena.games.conformance import Flaw, doubts, examine, raised, transcript
from arena.limited import LimitedError, limited, limited_value
from arena.values import Board

MEMORY_BYTES = 2_000_000_000
CPU_SECONDS = 30
"""For a single match with all laws. The slowest game of OpenSpiel takes 8 s."""
WALL_SECONDS = 120.0
HASH_SEEDS = ("1", "2")
TRANSCRIPT = """
import json, os, pathlib, sys
from arena import rulefile
from arena.games.conformance import transcript
print()
print(json.dumps(transcript(rulefile.load(pathlib.Path(sys.argv[1]), sys.argv[2]))), flush=True)
os._exit(0)
"""


def boards_of(query: str) -> tuple[Board, ...]:
    """Return the boards that a query means, as `rulebook.find`.

    ArenaError for whatever keeps them from loading.
    """
    try:
        return limited_value(
            partial(rulebook.find, query), memory=MEMORY_BYTES, cpu=CPU_SECONDS, wall=WALL_SECONDS
        )
    except LimitedError as error:
        raise ArenaError(f"when {query} is loaded, {_words(error)}") from error


def examined(board: Board, playouts: int, seed: int) -> tuple[list[Flaw], list[Flaw]]:
    """Return the flaws of a board, and if it has none what only its author can know."""
    work = partial(_examine, board, playouts, seed)
    try:
        *_, result = limited(work, memory=MEMORY_BYTES, cpu=CPU_SECONDS, wall=WALL_SECONDS)
    except LimitedError as error:
        return [Flaw(words=f"when it is played, {_words(error)}")], []
    return result


def _examine(board: Board, playouts: int, seed: int) -> Iterator[tuple[list[Flaw], list[Flaw]]]:
    game = rulebook.game_of(board)
    flaws: list[Flaw] = []
    for flaws in examine(game, playouts, seed):
        yield flaws, []
    if not flaws:
        flaws = differences(game, Path(board.rules), board.name)
    yield flaws, [] if flaws else doubts(game)


def _words(error: LimitedError) -> str:
    """Return how the rules ended the process, with the line where that is known."""
    others = (str(Path(rulefile.__file__).parent), *sysconfig.get_paths().values())
    for place in error.places:
        file = Path(place.file)
        of_others = place.file.startswith("<") or any(
            file.is_relative_to(folder) for folder in others
        )
        if file.is_relative_to(rulefile.shipped()) or not of_others:
            return f"it {error} ({file.name}, line {place.line}, in {place.function})"
    return f"it {error}"


def differences(game: Game[object], path: Path, board: str) -> list[Flaw]:
    """Return a flaw if the same moves give other facts, legal moves or outcomes in another process.

    Else `[]`. Then no record of the game could be replayed. Python orders a set of texts
    differently in each process (PYTHONHASHSEED), so a test in one process never shows that the
    rules depend on such an order.
    """
    try:
        here = transcript(game)
    except Exception as error:  # noqa: BLE001 (a state that no law has seen)
        return [Flaw(words=raised(error))]
    for seed in HASH_SEEDS:
        # The rules may print, at any time and without an end of line, and end the process.
        done = subprocess.run(
            [sys.executable, "-c", TRANSCRIPT, str(path), board],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            done.check_returncode()
            there: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
        except (subprocess.CalledProcessError, IndexError, ValueError):
            last = done.stderr.strip().splitlines()[-1:] or [
                f"it ends with exit code {done.returncode}"
            ]
            return [
                Flaw(
                    words=f"the same random matches cannot be played in another process: {last[0]}"
                )
            ]
        for turn, (ours, theirs) in enumerate(zip(here, there, strict=False)):
            if ours != theirs:
                return [_flaw(turn, ours, theirs)]
        if len(here) != len(there):
            return [Flaw(words="the same moves make a match of another length in another process")]
    return []


def _flaw(turn: int, ours: list[str], theirs: list[str]) -> Flaw:
    if sorted(ours) == sorted(theirs):
        words = (
            "facts or legal moves stand in another order in another process: sort what "
            "comes out of a set"
        )
    else:
        words = (
            "facts or legal moves are others in another process: leave out what hangs on "
            "hash() or on the clock"
        )
    differing = [
        f"{here}   (there: {there})"
        for here, there in zip(ours, theirs, strict=False)
        if here != there
    ]
    return Flaw(words=words, turn=turn, facts=tuple(differing[:5]))
