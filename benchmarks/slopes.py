"""What each further match costs: `python benchmarks/slopes.py [MATCHES]`.

Two archives are compared, of a third of MATCHES and of all of them (30,000 unless said). They have
real records of the shortest game, between 100 bots that draw their moves in this process. Each row
is the CPU time of a command with all its processes, and the peak memory of its main process, at
both sizes; and what a match adds, by their difference. CPU time tells the same on a busy machine.
"""

import os
import sqlite3
import sys
import tempfile
import tracemalloc
from contextlib import closing
from itertools import islice
from pathlib import Path
from time import process_time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command `arena` does

import export
import report

from arena.event.schedules import round_robin
from arena.games import rulebook
from arena.results.archive import Archive
from arena.values import Bot, Event

BOTS = tuple(
    Bot(name=f"bot{number:02}", command=("true",), digest=f"{number:012x}") for number in range(100)
)
COMMANDS = {
    "leaderboard, new fit": ("leaderboard",),
    "leaderboard, stored fit": ("leaderboard",),
    "report, new": ("report",),
    "report, unchanged": ("report",),
    "verify, new": ("verify",),
    "verify, checked before": ("verify",),
}


def event(matches: int) -> Event:
    """Return an event of this number of matches at least."""
    boards = tuple(rulebook.find("kuhn_poker/three_cards"))
    repeats = -(-matches // (len(BOTS) * (len(BOTS) - 1)))
    return Event(name="bench", seed=1, boards=boards, bots=BOTS, repeats=repeats)


def planned(matches: int) -> tuple[float, float]:
    """Return the seconds and the MB of the ids of so many matches."""
    of = event(matches)
    tracemalloc.start()
    ids = [match.id for match in islice(round_robin.batch(of, 0, []), matches)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del ids
    begun = process_time()
    for match in islice(round_robin.batch(of, 0, []), matches):
        _ = match.id
    return process_time() - begun, peak / 1e6


def fill(folder: Path, matches: int) -> float:
    """Make an archive; return the seconds in which its records were stored."""
    of = event(matches)
    made = map(report.played, islice(round_robin.batch(of, 0, []), matches))
    seconds = 0.0
    with Archive.open(folder, writing=True) as archive:
        archive.begin(of, "", tuple)
        while batch := list(islice(made, 20)):
            begun = process_time()
            archive.append(*batch)
            seconds += process_time() - begun
    return seconds


def sizes(folder: Path) -> dict[str, float]:
    """Return the MB of the archive, and of its largest tables."""
    file = folder / "event.sqlite"
    found = {"the archive": file.stat().st_size / 1e6}
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        query = "select name, sum(pgsize) from dbstat group by name order by 2 desc"
        try:
            rows = connection.execute(query).fetchall()
        except sqlite3.OperationalError:  # this SQLite was built without it
            rows = []
    for name, size in rows[:6]:
        found[f"  of it {name}"] = size / 1e6
    return found


def figures(matches: int) -> dict[str, tuple[float, float]]:
    """Return the seconds of CPU and the MB of each row."""
    rows: dict[str, tuple[float, float]] = {"planning": planned(matches)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows["store the records"] = fill(folder, matches), 0.0
        for row, size in sizes(folder).items():
            rows[row] = 0.0, size
        for row, words in COMMANDS.items():
            cpu, own, worker = export.measured(*words, name)
            rows[row] = cpu, own
            rows[f"  a process of it ({row})"] = 0.0, worker
        page = (folder / "report.html").stat().st_size
        rows["the page of the report"] = 0.0, page / 1e6
    return rows


def main(matches: int) -> None:
    """Print all rows."""
    small, large = (figures(count) for count in (matches // 3, matches))
    more = matches - matches // 3
    print(f"load {os.getloadavg()[0]:.1f}; {matches // 3} and {matches} matches")
    print(f"{'':44}{'CPU s':>8}{'CPU s':>8}{'us/match':>10}{'MB':>8}{'MB':>8}{'B/match':>9}")
    for row, (cpu, size) in large.items():
        cpu_before, size_before = small[row]
        print(
            f"{row:44}{cpu_before:8.2f}{cpu:8.2f}{1e6 * (cpu - cpu_before) / more:10.1f}"
            f"{size_before:8.1f}{size:8.1f}{1e6 * (size - size_before) / more:9.0f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30_000)
