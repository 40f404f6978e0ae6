"""What more matches cost, and what a further match adds: `python benchmarks/slopes.py [MATCHES]`.

Two events are compared, of a third of MATCHES and of all of them (100,000 unless said). They have
real records of the shortest game, between 100 bots that draw their moves in this process. Each row
is the CPU time of a command with all its processes and the peak memory of its main process, at
both sizes; and what a match adds, by their difference. CPU time tells the same on a busy machine.
The table goes into docs/growth.md.
"""

import os
import sqlite3
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from time import process_time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command `arena` does

import export
import report
from tables import line

from arena import workspace
from arena.event import config, plan
from arena.event.schedules import round_robin
from arena.results import folders
from arena.results.archive import Archive
from arena.values import Event
from tests import pages

BOTS = 100
TOURNAMENT = """\
format = 1
name = "bench"
seed = 1
boards = ["kuhn_poker/three_cards"]
repeats = {repeats}
"""
COMMANDS = {
    "`arena leaderboard`, a new fit": ("leaderboard",),
    "`arena leaderboard`, the stored fit": ("leaderboard",),
    "`arena report`, new": ("report",),
    "`arena report`, unchanged": ("report",),
    "`arena run`, all is played": ("run",),
    "`arena run`, and nothing changed": ("run",),
    "`arena verify`, new": ("verify",),
    "`arena verify`, it held before": ("verify",),
}
PAGE = Path(__file__).parents[1] / "docs" / "growth.md"
PART = "made by benchmarks/slopes.py"


def event(folder: Path, repeats: int) -> Event:
    """Make a workspace, and return its event."""
    path = folder / "tournament.toml"
    text = TOURNAMENT.format(repeats=repeats)
    for number in range(BOTS):
        text += f'[[bot]]\nname = "bot{number:02}"\ncommand = ["true"]\n'
    path.write_text(text)
    made, _ = workspace.event_of(config.load(path), path)
    return made


def planned(of: Event) -> tuple[int, float, float]:
    """Return the number of matches, the seconds of a walk through them, and the MB of their ids."""
    tracemalloc.start()
    ids = [match.id for match in round_robin.batch(of, 0, [])]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    begun = process_time()
    for match in round_robin.batch(of, 0, []):
        _ = match.id
    return len(ids), process_time() - begun, peak / 1e6


def fill(folder: Path, of: Event) -> float:
    """Make an archive of all matches; return the seconds in which its records were stored."""
    made = map(report.played, round_robin.batch(of, 0, []))
    seconds = 0.0
    with Archive.open(folder, writing=True) as archive:
        plan.begin(of, archive)
        while batch := list(islice(made, 20)):
            begun = process_time()
            archive.append(*batch)
            seconds += process_time() - begun
    return seconds


def largest_tables(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the archive and its largest tables, each with its MB."""
    file = folder / "event.sqlite"
    yield "the archive", file.stat().st_size / 1e6
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        query = "select name, sum(pgsize) from dbstat group by name order by 2 desc limit 3"
        try:
            rows = connection.execute(query).fetchall()
        except sqlite3.OperationalError:  # this SQLite was built without it
            return
    for name, size in rows:
        yield f"of it `{name}`", size / 1e6


def figures(repeats: int) -> tuple[int, dict[str, tuple[float, float]]]:
    """Return the number of matches; of each row the seconds of CPU and the MB, 0 for none."""
    rows: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        of = event(home, repeats)
        matches, seconds, size = planned(of)
        rows["planning"] = seconds, size
        folder = folders.results_folder(home, of.name)
        rows["the records are stored"] = fill(folder, of), 0.0
        for row, size in largest_tables(folder):
            rows[row] = 0.0, size
        for row, words in COMMANDS.items():
            cpu, own, _ = export.measured(*words, folder=home)
            rows[row] = cpu, own
        page = folder / "report.html"
        rows["`report.html`"] = 0.0, page.stat().st_size / 1e6
    return matches, rows


def main(matches: int) -> None:
    """Measure, and write the table into the page."""
    most = max(3, matches // (BOTS * (BOTS - 1)))
    few, before = figures(most // 3)
    many, after = figures(most)
    more = many - few
    head = [f"CPU s at {few:,}", f"at {many:,}", "us a match", "MB", "MB", "bytes a match"]
    lines = [line(["what", *head]), "|---" * (len(head) + 1) + "|"]
    for row, (cpu, size) in after.items():
        cpu_before, size_before = before.get(row, (0.0, 0.0))
        cells = ["", "", ""]
        if cpu:
            slope = 1e6 * (cpu - cpu_before) / more
            cells = [f"{cpu_before:.2f}", f"{cpu:.2f}", f"{slope:.1f}"]
        sizes = ["", "", ""]
        if size:
            slope = 1e6 * (size - size_before) / more
            sizes = [f"{size_before:.1f}", f"{size:.1f}", f"{slope:.0f}"]
        lines.append(line([row, *cells, *sizes]))
    load = f"{os.getloadavg()[0]:.1f}"
    text = f"At a load of {load} at the end, on {len(os.sched_getaffinity(0))} cores.\n\n"
    text += "\n".join(lines)
    print(text)
    pages.write(PAGE, PART, text)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
