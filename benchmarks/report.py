"""What `arena report` costs: `python benchmarks/report.py [MATCHES]`, 10 000 unless told, and a
tenth of them.

The matches are real, on a maze for two and on Pacman's board, but between bots that draw their
moves in this process. Each row is one run of the command: its CPU time with all its processes, the
peak memory of its main process and of its largest worker, and the bytes of report.html. The second
run of each size finds nothing changed.
"""

import os
import sys
import tempfile
from itertools import islice
from pathlib import Path
from random import Random

import export

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


def main(matches: int) -> None:
    """Print all figures."""
    print(
        f"{'matches':>9} {'run':8} {'CPU s':>7} {'MB main':>8} {'MB worker':>10} "
        f"{'MB written':>11} {'load':>6}"
    )
    for count in (matches // 10, matches):
        with tempfile.TemporaryDirectory() as name:
            fill(Path(name), count)
            for run in ("first", "second"):
                cpu, own, worker = export.measured("report", name)
                size = (Path(name) / "report.html").stat().st_size / 1e6
                figures = f"{count:9} {run:8} {cpu:7.1f} {own:8} {worker:10} {size:11.1f}"
                print(f"{figures} {os.getloadavg()[0]:6.1f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
