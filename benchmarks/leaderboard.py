"""How long an archive of many matches takes: `python benchmarks/leaderboard.py [MATCHES]`, 100 000
unless told.

First what it costs to append real records, one at a time and in batches. Then archives that nobody
played, of a tenth of the matches and of all, of 25 bots on a board for two and on one for three;
every time is that of a new process, Python's start included, and stands beside that of a process
that imports pandas and ends. Each row is the best of three tries, and has the machine's load after
them.
"""

import sqlite3
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from time import perf_counter

from tables import print_table

from arena.results.archive import Archive, records, schema
from arena.results.archive.records import Rows, SeatRows
from arena.results.standings import seat_results
from arena.values import (
    Board,
    Bot,
    Ending,
    Event,
    Fault,
    Match,
    Played,
    Record,
    SeatReport,
    Turn,
    Verdict,
)

BOTS = tuple(
    Bot(name=f"bot{number:02}", command=("true",), digest=f"{number:012x}") for number in range(25)
)
DUEL = Board(
    game="toy",
    name="duel",
    rules="t.py",
    digest="1",
    roles=("fox", "hen"),
    sides=(("fox",), ("hen",)),
)
HUNT = Board(
    game="toy",
    name="hunt",
    rules="t.py",
    digest="2",
    roles=("fox", "hen", "chick"),
    sides=(("fox",), ("hen", "chick")),
)
EVENT = Event(name="bench", seed=1, boards=(DUEL, HUNT), bots=BOTS)
TURNS = 40
SAMPLE = (
    997  # verdicts drawn for each board; a prime, so that they don't keep step with the pairings
)
COMMANDS = (
    (),
    ("--crosstable",),
    ("--timing",),
    ("--all-versions",),
)
SCRIPTS = {
    "matches.csv": "from arena.results import columns, tables; "
    "tables.write(results.matches(), columns.MATCHES, folder / 'matches.csv')",
    "as arrays": "results.arrays",
}
Used = tuple[float, float, int]
"""Seconds, CPU seconds and peak megabytes of a process."""
Drawn = list[tuple[int, str | None, str | None]]
"""Score, result and ending of each seat of a match."""


def record(match: Match) -> Record:
    """A match as it is stored, of TURNS turns."""
    draw = Random(match.id)
    scores = {seat.role: draw.randrange(101) for seat in match.seats}
    turns = (
        Turn(
            number=number,
            role=seat.role,
            move=draw.choice(["north", "east"]),
            wall=draw.random(),
            digest="0" * 16,
        )
        for number in range(TURNS)
        for seat in match.seats
    )
    return Record(
        match=match,
        turns=tuple(turns),
        verdict=Verdict(scores=scores, reason="caught"),
        sides=DUEL.sides,
        seats=tuple(
            SeatReport(role=seat.role, bot=seat.bot.name, digest=seat.bot.digest)
            for seat in match.seats
        ),
        started="2026-01-01T00:00:00+00:00",
    )


def appended(records: Sequence[Record], batch: int) -> tuple[float, float]:
    """Seconds a match, appended in batches of this size, and seconds of the slowest batch."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Archive.open(Path(folder), writing=True) as archive,
    ):
        archive.begin(EVENT, "", tuple)
        times = []
        for start in range(0, len(records), batch):
            begun = perf_counter()
            archive.append(*records[start : start + batch])
            times.append(perf_counter() - begun)
        return sum(times) / len(records), max(times)


def fill(folder: Path, matches: int) -> float:
    """Make an archive of a number of matches, without playing or packing any; the seconds that it
    took.
    """
    with Archive.open(folder, writing=True) as archive:
        archive.begin(EVENT, "", tuple)
    connection = sqlite3.connect(folder / "event.sqlite", isolation_level=None)
    begun = perf_counter()
    connection.execute("pragma cache_size = -200000")
    connection.execute("begin")
    for table, rows in _tables(matches).items():
        first = next(rows)
        connection.execute(f"insert into {table} values ({', '.join('?' * len(first))})", first)
        connection.executemany(f"insert into {table} values ({', '.join('?' * len(first))})", rows)
    connection.execute(schema.COUNT, (0,))
    connection.execute("commit")
    connection.close()
    return perf_counter() - begun


def _id(number: int) -> str:
    return f"{number * 0x5DEECE66D % 2**48:012x}"  # an odd factor, so that no two are equal


def _tables(matches: int) -> dict[str, Iterator[tuple[object, ...]]]:
    """The rows of each table."""
    entries = {
        (board, role, bot): number
        for number, (board, role, bot) in enumerate(
            (board, role, bot.name)
            for board in EVENT.boards
            for role in board.roles
            for bot in BOTS
        )
    }
    pairs = [
        (board, one, two) for board in EVENT.boards for one in BOTS for two in BOTS if one != two
    ]
    drawn = {board: [_drawn(board, number) for number in range(SAMPLE)] for board in EVENT.boards}
    packed, clock = Random(1).randbytes(1200), array("f", [0.001] * TURNS).tobytes()
    return {"entries": _entries(entries)} | {
        "matches": (_match(number, pairs, drawn, entries) for number in range(matches)),
        "seats": (
            row for number in range(matches) for row in _seats(number, pairs, drawn, entries)
        ),
        "records": ((number + 1, packed) for number in range(matches)),
        "clocks": (
            (number + 1, place, clock, clock, clock)
            for number in range(matches)
            for place in range(len(pairs[number % len(pairs)][0].roles))
        ),
    }


def _entries(entries: dict[tuple[Board, str, str], int]) -> Iterator[tuple[object, ...]]:
    for (board, role, bot), number in entries.items():
        side = next(side for side, roles in enumerate(board.sides) if role in roles)
        yield number, board.game, board.name, side, role, bot, f"digest of {bot}"


def _match(
    number: int,
    pairs: list[tuple[Board, Bot, Bot]],
    drawn: dict[Board, list[Drawn]],
    entries: dict[tuple[Board, str, str], int],
) -> tuple[object, ...]:
    repeat, pair = divmod(number, len(pairs))
    board = pairs[pair][0]
    sides = '[["fox"], ["hen"]]' if board is DUEL else '[["fox"], ["hen", "chick"]]'
    head = (number + 1, _id(number), board.game, board.name, repeat, number * 7919 % 2**48)
    row = (
        *head[1:],
        "caught",
        TURNS,
        sides,
        0.5,
        "2026-01-01T00:00:00+00:00",
        number * 31,
        "",
        1.0,
    )
    seats = tuple(SeatRows((), seat[3:], ()) for seat in _seats(number, pairs, drawn, entries))
    figures = records.figures(
        Rows(row, b"", seats), (seat[2] for seat in _seats(number, pairs, drawn, entries))
    )
    return number + 1, *row, figures, 1


def _seats(
    number: int,
    pairs: list[tuple[Board, Bot, Bot]],
    drawn: dict[Board, list[Drawn]],
    entries: dict[tuple[Board, str, str], int],
) -> Iterator[tuple[object, ...]]:
    board, one, two = pairs[number % len(pairs)]
    for place, (score, result, ending) in enumerate(drawn[board][number % SAMPLE]):
        entry = entries[board, board.roles[place], two.name if place else one.name]
        yield (
            number + 1,
            place,
            entry,
            score,
            result,
            ending,
            None,
            None,
            0.01,
            "exit 0",
            0,
            10**7,
            0.05,
            TURNS,
        )


def _drawn(board: Board, number: int) -> Drawn:
    """A verdict; one in fifty is a forfeit."""
    draw = Random(number)
    scores = {role: draw.randrange(0, 101, 5) for role in board.roles}
    faults = (
        (Fault(role="hen", ending=draw.choice([*Ending]), turn=1, words=""),)
        if draw.random() < 0.02
        else ()
    )
    played = Played(
        id="",
        game=board.game,
        board=board.name,
        repeat=0,
        seed=0,
        seats=dict(zip(board.roles, ["one", "two", "two"], strict=False)),
        scores=scores,
        reason="caught",
        endings={fault.role: fault.ending for fault in faults},
        sides=board.sides,
        turns=TURNS,
    )
    return [
        (scores[role], result, ending and ending.value)
        for role, _, result, ending in seat_results(played)
    ]


def run(*words: str, unrated: Path | None = None) -> Used:
    """Seconds, CPU seconds and peak megabytes of a Python process; the best of three: others can
    only slow it down.

    In the folder `unrated` no fit is kept when it starts.
    """
    measure = (
        "import resource, subprocess, sys, time; begun = time.perf_counter(); "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "told = time.perf_counter() - begun; used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(told, used.ru_utime + used.ru_stime, used.ru_maxrss // 1000)"
    )
    tries = []
    for _ in range(3):
        for kept in unrated.glob(".ratings-*") if unrated else ():
            kept.unlink()
        told = subprocess.run(
            [sys.executable, "-c", measure, sys.executable, *words],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        tries.append((float(told[0]), float(told[1]), int(told[2])))
    return min(tries)


def appending(records: Sequence[Record]) -> Iterator[list[str]]:
    """Yield a row for each size of batch."""
    alone = None
    for batch in (1, 4, 16):
        each, slowest = appended(records, batch)
        alone = alone or each
        yield [
            str(batch),
            f"{1 / each:,.0f}",
            f"{1e3 * each:.2f}",
            f"{alone / each:.2f}",
            f"{1e3 * slowest:.1f}",
        ]


def looking(counts: Iterable[int], bare: Used) -> Iterator[list[str]]:
    """Yield a row for each look at an archive of each size."""
    yield _row(0, "`import pandas`", bare, bare)
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            fill(folder, count)
            used = run("-m", "arena", "leaderboard", name, unrated=folder)
            yield _row(count, "`arena leaderboard`, a new fit", used, bare)
            for words in COMMANDS:
                used = run("-m", "arena", "leaderboard", name, *words)
                yield _row(count, f"`{' '.join(['arena leaderboard', *words])}`", used, bare)
            opened = (
                "from pathlib import Path; from arena.results.leaderboard import Results; "
                f"folder = Path({name!r}); "
            )
            for what, script in SCRIPTS.items():
                used = run("-c", f"{opened} results = Results.open(folder); {script}")
                yield _row(count, what, used, bare)


def _row(matches: int, what: str, used: Used, bare: Used) -> list[str]:
    seconds, cpu, peak = used
    return [
        f"{matches:,}",
        what,
        f"{seconds:.2f}",
        f"{cpu:.2f}",
        f"{cpu / bare[1]:.2f}",
        str(peak),
    ]


def main(matches: int) -> None:
    """Print both tables."""
    records = [record(EVENT.match(DUEL, (BOTS[0], BOTS[1]), repeat)) for repeat in range(1500)]
    print_table(
        f"Matches of {TURNS} turns for two roles, appended to an archive in one round",
        ["matches a batch", "matches a second", "ms a match", "speed", "slowest batch, ms"],
        appending(records),
    )
    print_table(
        "A process that reads an archive, the best of three",
        ["matches", "what", "seconds", "CPU s", "of pandas alone", "peak MB"],
        looking((matches // 10, matches), run("-c", "import pandas")),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
