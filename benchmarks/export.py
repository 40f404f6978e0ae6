"""What `arena export` costs: `python benchmarks/export.py [MATCHES]`, 20 000 unless told, and a
tenth of them.

The archives are those of leaderboard.py, but with real records of 40 turns for two roles. Each row
is one run of the command: its CPU time with all its processes, the peak memory of its main process
and of its largest worker, and the bytes that it wrote. From the two sizes follows what a further
match takes.
"""

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path

import leaderboard
from tables import print_table

from arena.results import export
from arena.results.archive import records

SAMPLE = 50
"""Different records; each is stored many times."""
MEASURE = """
import resource, sys
from arena.cli import main
code = 0
try:
    main()
except SystemExit as end:
    code = end.code
own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
# Not ru_maxrss of this process: that begins with the memory of the process that started it.
(peak,) = [int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")]
print(cpu, peak // 1000, others.ru_maxrss // 1000, file=sys.stderr)
sys.exit(code)
"""


def fill(folder: Path, matches: int) -> int:
    """Make an archive of this number of matches; return the bytes that it takes."""
    leaderboard.fill(folder, matches)
    bots = leaderboard.BOTS
    made = (
        leaderboard.EVENT.match(leaderboard.DUEL, (bots[n % 25], bots[(n + 1) % 25]), n)
        for n in range(SAMPLE)
    )
    blobs = [records.packed(leaderboard.record(match)) for match in made]
    connection = sqlite3.connect(folder / "event.sqlite", isolation_level=None)
    connection.execute("begin")
    numbered = zip(cycle(blobs), range(1, matches + 1), strict=False)
    while batch := list(islice(numbered, 10_000)):
        connection.executemany("update records set record = ? where match = ?", batch)
    connection.execute("commit")
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.execute("vacuum")
    connection.close()
    return (folder / "event.sqlite").stat().st_size


def measured(*words: str, folder: Path | None = None) -> tuple[float, int, int]:
    """CPU seconds, and peak megabytes of the main process and of a worker, of one command of
    arena, in this folder.
    """
    command = [sys.executable, "-c", MEASURE, *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    cpu, main, worker = done.stderr.split("\n")[-2].split()
    return float(cpu), int(main), int(worker)


def run(folder: Path, form: str) -> tuple[float, int, int, int]:
    """The same of one export, and the bytes written."""
    figures = measured("export", str(folder), "--format", form)
    return *figures, sum(path.stat().st_size for path in (folder / "export").glob(f"*.{form}"))


def rows(counts: Iterable[int]) -> Iterator[list[str]]:
    """Yield a row for each size and format."""
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            archive = fill(Path(name), count)
            for form in export.FORMATS:
                cpu, own, worker, written = run(Path(name), form)
                yield [
                    f"{count:,}",
                    f"{archive / count / 1000:.1f}",
                    form,
                    f"{cpu:.1f}",
                    f"{1000 * cpu / count:.2f}",
                    str(own),
                    str(worker),
                    f"{written / 1e6:,.0f}",
                ]


def main(matches: int) -> None:
    """Print the table."""
    head = ["matches", "kB a match in the archive", "format", "CPU s", "CPU ms a match"]
    head += ["MB, main process", "MB, largest worker", "MB written"]
    print_table("`arena export`, one run each", head, rows((matches // 10, matches)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
