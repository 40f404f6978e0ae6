"""What more bots cost, with the same number of matches: `python benchmarks/growth.py [MATCHES]`.

The rows are numbers of bots, and each figure is of a process by itself, in seconds of CPU: the
pairing of the slowest round of a Swiss; the first and the third batch of a ladder (the third is the
first that knows results), with their peak of memory; `arena leaderboard` of an archive of MATCHES
matches (10,000 unless said) that nobody played, with a new fit and again with the stored one. The
table goes into docs/growth.md, beside the figures of a ladder that had tables of all pairs and of a
fit that inverted whole matrices.
"""

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import process_time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command `arena` does

from arena.event.schedules import ladder, round_robin, swiss
from arena.results.archive import Archive
from arena.values import Played
from tests import pages
from tests.support import paired, stored

ROOT = Path(__file__).parents[1]
BOTS = (20, 100, 300, 1000, 10_000)
MATCHES = 10_000
MOST_FITTED = 1000
"""An archive of more bots and its fit take minutes, so larger rows have no leaderboard."""
MOST_SWISS = 1000
"""The rounds of more bots take minutes."""
BATCHES = 3
BEFORE = {300: "0.14 s, 0.19 s, 73 MB", 1000: "0.58 s, 3.02 s, 349 MB", 10_000: "did not begin"}
"""What the batches of a ladder took at commit 427ac66f, measured in the same way."""
FIT_BEFORE = {20: "1.90 s", 100: "7.03 s", 300: "9.34 s", 1000: "69.10 s"}
"""What `arena leaderboard` with a new fit took at commit 9aa63dad: it inverted whole matrices."""
PAGE = ROOT / "docs" / "growth.md"
PART = "made by benchmarks/growth.py"
HEAD = """\
| bots | a round of a Swiss | ladder: batches 1, 3; memory | before | leaderboard | before | again |
|---|---|---|---|---|---|---|"""


def swiss_round(bots: int) -> float:
    """Return the seconds in which the slowest round of a Swiss is paired."""
    event = paired.event("swiss", bots)
    strength = paired.strengths(event)
    history: list[tuple[Played, ...]] = []
    slowest = 0.0
    for number in range(swiss.rounds(event)):
        began = process_time()
        matches = list(swiss.batch(event, number, history))
        slowest = max(slowest, process_time() - began)
        history.append(
            tuple(paired.result(match, paired.DUEL.sides, strength, draws=0.1) for match in matches)
        )
    return slowest


def ladder_batches(bots: int) -> tuple[list[float], int]:
    """Return the seconds of the first batches of a ladder, and the peak of memory in MB."""
    event = paired.event("ladder", bots, rounds=BATCHES)
    strength = paired.strengths(event)
    history: list[tuple[Played, ...]] = []
    seconds: list[float] = []
    for number in range(BATCHES):
        began = process_time()
        matches = list(ladder.batch(event, number, history[: max(0, number - ladder.BEHIND)]))
        seconds.append(process_time() - began)
        history.append(
            tuple(paired.result(match, paired.DUEL.sides, strength, draws=0.1) for match in matches)
        )
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000


def looks(bots: int, matches: int) -> tuple[float, float]:
    """Return the seconds of `arena leaderboard` of an archive, without and with its stored fit."""
    names = [f"bot{number:04}" for number in range(bots)]
    rounds = min(bots - 1, -(-matches // bots))  # each round has a match a bot, in either role
    event = stored.event(*names, boards=[stored.DUEL], repeats=matches)
    event = replace(event, rounds=rounds)
    with tempfile.TemporaryDirectory() as name:
        with Archive.open(Path(name), writing=True) as archive:
            archive.begin(event, "", tuple)
            planned = islice(round_robin.batch(event, 0, []), matches)
            while batch := list(islice(planned, 500)):
                archive.append(*map(stored.played, batch))
        new, again = (_command("leaderboard", name) for _ in range(2))
    return new, again


def _command(*words: str) -> float:
    """Return the seconds of CPU of a command of arena."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "arena", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(bots: int, matches: int) -> str:
    """Return a row of the table."""
    seconds, peak = ladder_batches(bots)
    batches = f"{seconds[0]:.2f} s, {seconds[-1]:.2f} s, {peak} MB | {BEFORE.get(bots, '')}"
    round_of_swiss = f"{swiss_round(bots):.3f} s" if bots <= MOST_SWISS else ""
    fits = "| | | |"
    if bots <= MOST_FITTED:
        new, again = looks(bots, matches)
        fits = f"| {new:.2f} s | {FIT_BEFORE.get(bots, '')} | {again:.2f} s |"
    return f"| {bots:,} | {round_of_swiss} | {batches} {fits}"


def main(matches: int) -> None:
    """Print the table, and write it into the page."""
    rows: list[str] = []
    for bots in BOTS:  # a process each, so that each has its own peak of memory
        words = [sys.executable, __file__, str(matches), str(bots)]
        made = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(made.stdout.strip())
        print(made.stdout, end="", flush=True)
    pages.write(PAGE, PART, "\n".join([HEAD, *rows]))


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    if len(sys.argv) > 2:
        print(row(int(sys.argv[2]), asked))
    else:
        main(asked)
