"""Tests whether a game is the same in another process. Otherwise no record of it could be replayed.

Python orders a set of texts differently in each process (PYTHONHASHSEED), so a test in one process never shows that the
rules depend on such an order.
"""

import json
import subprocess
import sys
from pathlib import Path

from arena.game import Game
from arena.games.conformance import Flaw, raised, transcript

SEEDS = ("1", "2")


def differences(game: Game[object], path: Path, board: str) -> list[Flaw]:
    """Return a flaw if the same moves give other facts, legal moves or outcomes in another process; else `[]`."""
    try:
        here = transcript(game)
    except Exception as error:  # noqa: BLE001 (a state that no law has seen)
        return [Flaw(words=raised(error))]
    for seed in SEEDS:
        try:
            there = _transcript_elsewhere(path, board, seed)
        except subprocess.CalledProcessError as error:
            last = error.stderr.strip().splitlines()[-1:] or [f"it ends with exit code {error.returncode}"]
            return [Flaw(words=f"the same random matches cannot be played in another process: {last[0]}")]
        for turn, (ours, theirs) in enumerate(zip(here, there, strict=False)):
            if ours != theirs:
                return [_flaw(turn, ours, theirs)]
        if len(here) != len(there):
            return [Flaw(words="the same moves make a match of another length in another process")]
    return []


def transcript_json(path: Path, board: str) -> str:
    """Return the transcript of a game as JSON; the other process prints it."""
    from arena import rulefile

    return json.dumps(transcript(rulefile.load(path, board)))


def _transcript_elsewhere(path: Path, board: str, seed: str) -> list[list[str]]:
    code = "import sys; from pathlib import Path; from arena.games.conformance.other_process import transcript_json"
    # The rules may print, at any time and without an end of line.
    code += "; import os; print(); print(transcript_json(Path(sys.argv[1]), sys.argv[2]), flush=True); os._exit(0)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), board],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    try:
        states: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):  # the rules ended the process
        raise subprocess.CalledProcessError(done.returncode, done.args, stderr=done.stderr) from None
    return states


def _flaw(turn: int, ours: list[str], theirs: list[str]) -> Flaw:
    if sorted(ours) == sorted(theirs):
        words = "facts or legal moves stand in another order in another process: sort what comes out of a set"
    else:
        words = "facts or legal moves are others in another process: leave out what hangs on hash() or on the clock"
    differing = [f"{here}   (there: {there})" for here, there in zip(ours, theirs, strict=False) if here != there]
    return Flaw(words=words, turn=turn, facts=tuple(differing[:5]))
