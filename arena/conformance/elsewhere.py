"""Is a game the same in another process? What sets and hashes decide is not, and no record of it would hold.

Python gives each process another order of sets of texts (PYTHONHASHSEED), so one process alone never sees it.
"""

import json
import subprocess
import sys
from pathlib import Path

from arena.conformance import Flaw, transcript
from arena.game import Game

SEEDS = ("1", "2")


def differences(game: Game[object], path: Path, board: str) -> list[Flaw]:
    """Where the same moves are told otherwise in another process; `[]` when nowhere."""
    here = transcript(game)
    for seed in SEEDS:
        try:
            there = _elsewhere(path, board, seed)
        except subprocess.CalledProcessError as error:
            last = error.stderr.strip().splitlines()[-1:] or [f"exit {error.returncode}"]
            return [Flaw(words=f"the same random matches cannot be played in another process: {last[0]}")]
        for place, (ours, theirs) in enumerate(zip(here, there, strict=False)):
            if ours != theirs:
                return [_flaw(place, ours, theirs)]
        if len(here) != len(there):
            return [Flaw(words="the same moves make a match of another length in another process")]
    return []


def told(path: Path, board: str) -> str:
    """What another process prints: its transcript as JSON."""
    from arena import rulefile

    return json.dumps(transcript(rulefile.load(path, board)))


def _elsewhere(path: Path, board: str, seed: str) -> list[list[str]]:
    code = "import sys; from pathlib import Path; from arena.conformance.elsewhere import told"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print(told(Path(sys.argv[1]), sys.argv[2]))", str(path), board],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _flaw(place: int, ours: list[str], theirs: list[str]) -> Flaw:
    if sorted(ours) == sorted(theirs):
        words = "facts or legal moves stand in another order in another process: sort what comes out of a set"
    else:
        words = "facts or legal moves are others in another process: leave out what hangs on hash() or on the clock"
    differing = [f"{one}   (there: {other})" for one, other in zip(ours, theirs, strict=False) if one != other]
    return Flaw(words=words, turn=place, facts=tuple(differing[:5]))
