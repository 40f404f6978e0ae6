"""What `arena report` costs: `python benchmarks/report.py [MATCHES]`, 10 000 unless told, and a
tenth of them.

The matches are real, on a maze for two and on Pacman's board, but between bots that draw their
moves in this process. Each row is one run of the command: its CPU time with all its processes, the
peak memory of its main process and of its largest worker, and the bytes of report.html. The second
run of each size finds nothing changed.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import export
from tables import print_table

from arena.games import rulebook
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.results.archive import Archive
from arena.values import Bot, Event, Match, Record, SeatReport

BOARDS = ("mummy_maze/duel", "pacman/classic")
BOTS = tuple(
    Bot(name=f"bot{number:02}", command=("true",), digest=f"{number:012x}") for number in range(12)
)


def event(matches: int) -> Event:
    """Return a round robin that plans at least this number of matches."""
    boards = tuple(board for name in BOARDS for board in rulebook.find(name))
    return Event(name="bench", seed=1, boards=boards, bots=BOTS, repeats=matches)


def played(match: Match) -> Record:
    """Return the record of a match of bots that draw their moves."""
    draw, referee = Random(match.id), Referee(rulebook.game_of_record(match), match)
    while asks := referee.asks():
        referee.hear(
            {
                role: Reply(line=b"ready" if ask.ready else draw.choice(ask.legal).encode())
                for role, ask in asks.items()
            }
        )
    seats = (
        SeatReport(role=seat.role, bot=seat.bot.name, digest=seat.bot.digest)
        for seat in match.seats
    )
    return referee.record(tuple(seats), "2026-01-01T00:00:00+00:00", 0.1)


def fill(folder: Path, matches: int) -> None:
    """Make an archive of this number of matches, half on each board."""
    planned = event(matches)
    drawn = Random(0)
    pairs = ((number, drawn.sample(BOTS, 2)) for number in range(matches))
    made = (
        planned.match(board, (first, *[second] * (len(board.roles) - 1)), number)
        for number, (first, second) in pairs
        for board in [planned.boards[number % len(BOARDS)]]
    )
    with Archive.open(folder, writing=True) as archive:
        archive.begin(planned, "", tuple)
        while batch := list(islice(made, 500)):
            archive.append(*map(played, batch))


def rows(counts: Iterable[int]) -> Iterator[list[str]]:
    """Yield a row for each size, first and again."""
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            fill(Path(name), count)
            first_cpu = None
            for run in ("first", "again"):
                cpu, own, worker = export.measured("report", name)
                first_cpu = first_cpu or cpu
                size = (Path(name) / "report.html").stat().st_size / 1e6
                ratio = f"{cpu / first_cpu:.2f}"
                yield [f"{count:,}", run, f"{cpu:.1f}", ratio, str(own), str(worker), f"{size:.1f}"]


def main(matches: int) -> None:
    """Print the table."""
    head = ["matches", "run", "CPU s", "ratio", "MB, main process", "MB, largest worker"]
    head.append("MB written")
    print_table("`arena report`, one run each", head, rows((matches // 10, matches)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
