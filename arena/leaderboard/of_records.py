"""Seats, turns and clock readings as frames, a row each, straight from the archive.

It owns the columns of `seats` and `turns`. What counts is the reader's choice: the current plan, or all versions.
"""

from collections.abc import Iterator

import pandas as pd

from arena.archive import Archive
from arena.leaderboard import of_arrays

SEATS = ["match", "role", "bot", "digest", "score", "ending", "words", "ready", "exit", "cpu", "memory", "turns"]
TURNS = ["match", "turn", "role", "bot", "move", "by", "said", "wall", "cpu", "waited", "remarks"]


def seats(archive: Archive, *, all_versions: bool) -> pd.DataFrame:
    """A row a match and role."""
    columns = ", ".join({"match": "id", "turns": "seats.turns"}.get(column, column) for column in SEATS)
    query = (
        f"select {columns} from seats join matches on matches.number = match "
        "join entries on entries.number = entry where planned or ? order by id, place"
    )
    return pd.DataFrame(list(archive.rows(query, all_versions)), columns=SEATS)


def turns(archive: Archive, *, all_versions: bool) -> pd.DataFrame:
    """A row a move."""
    return pd.DataFrame(_turns(archive, all_versions=all_versions), columns=TURNS)


def _turns(archive: Archive, *, all_versions: bool) -> Iterator[tuple[object, ...]]:
    for record in archive.records(all_versions=all_versions):
        bots = {seat.role: seat.bot.name for seat in record.match.seats}
        for turn in record.turns:
            who = (record.match.id, turn.number, turn.role, bots.get(turn.role))
            times = (turn.wall, turn.cpu, turn.waited)
            yield (*who, turn.move, turn.by, turn.said, *times, "\n".join(turn.remarks))


def timing(archive: Archive, *, all_versions: bool) -> pd.DataFrame:
    """A row for each bot, board and role: answers, and quantiles of their wall and CPU time, in seconds."""
    answers: dict[tuple[str, str, str], list[tuple[bytes, bytes, bytes]]] = {}
    query = (
        "select bot, entries.game || '/' || entries.board, role, walls, cpus, waits from matches "
        "join seats on seats.match = matches.number join entries on entries.number = entry "
        "join clocks on clocks.match = seats.match and clocks.place = seats.place where planned or ?"
    )
    for bot, board, role, *packed in archive.rows(query, all_versions):
        answers.setdefault((bot, board, role), []).append((packed[0], packed[1], packed[2]))
    return of_arrays.timing(answers)
