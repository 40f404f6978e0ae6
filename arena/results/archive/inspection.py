"""Inspection of an archive, also of a damaged one: what `arena verify` and `arena merge` read."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.results.archive import records, schema
from arena.results.archive.database import DamagedError, Database
from arena.results.archive.records import Row
from arena.values import Record

NUMBERS_ANYWHERE = (
    "select number from main.matches not indexed",
    "select number from main.matches order by id",
    "select match from records",
    "select match from seats",
)
"""Queries that read one b-tree each: damage to one b-tree leaves the others."""
SEAT_COLUMNS = (
    [f"entries.{name}" for name in records.ENTRY]
    + [f"seats.{name}" for name in records.SEAT]
    + list(records.CLOCKS)
)


class StoredRows(NamedTuple):
    """All that an archive has of a match, whatever the numbers of its rows are."""

    id: str
    label: str
    """`game/board`."""
    columns: tuple[object, ...]
    """Those of the match, and its figures."""
    seats: tuple[Row, ...]
    blob: bytes | None
    """The packed record."""


def rows_of(archive: Database, numbers: Sequence[int]) -> dict[int, StoredRows]:
    """Return what is stored of the matches with these numbers, by number."""
    chosen = json.dumps(numbers)
    query = (
        f"select seats.match, entry, {', '.join(SEAT_COLUMNS)} "
        "from seats join entries on entry = entries.number "
        "left join clocks on clocks.match = seats.match and clocks.position = seats.position "
        f"where seats.match in {schema.CHOSEN} order by seats.match, seats.position"
    )
    seats: dict[int, list[Row]] = {}
    entries: dict[int, list[object]] = {}
    for match, entry, *columns in archive._rows(query, (chosen,)):
        seats_of_match = seats.setdefault(match, [])
        seats_of_match.append(tuple(columns))
        entries_of_match = entries.setdefault(match, [])
        entries_of_match.append(entry)
    query = (
        f"select number, {', '.join(records.MATCH)}, figures, record "
        f"from main.matches left join records on match = number where number in {schema.CHOSEN}"
    )
    rows: dict[int, StoredRows] = {}
    for number, *columns, figures, blob in archive._rows(query, (chosen,)):
        named = dict(zip(records.MATCH, columns, strict=True))
        numberless = records.without_entries(figures, entries.get(number, []))
        if not isinstance(blob, bytes):
            blob = None
        rows[number] = StoredRows(
            id=named["id"],
            label=f"{named['game']}/{named['board']}",
            columns=(*columns, *numberless),
            seats=tuple(seats.get(number, ())),
            blob=blob,
        )
    return rows


def readable_numbers(archive: Database, *, all_versions: bool) -> Iterator[int]:
    """Yield the numbers of the records by id.

    If `matches` is damaged, all tables are read: then numbers repeat.
    """
    try:
        query = "select number from main.matches where planned or ? order by id"
        numbers = [number for (number,) in archive._rows(query, (all_versions,))]
        yield from numbers
    except DamagedError:
        for query in NUMBERS_ANYWHERE:
            with contextlib.suppress(DamagedError):
                for (number,) in archive._rows(query):
                    if isinstance(number, int):
                        yield number


def packed_record(archive: Database, number: int) -> tuple[str, bytes] | None:
    """Return the id and the packed record of a match by its number, or None without its row."""
    query = (
        "select id, record from main.matches left join records on match = number where number = ?"
    )
    for match, blob in archive._rows(query, (number,)):
        return match, blob or b""
    return None


def differing_columns(
    archive: Database,
    number: int,
    record: Record,
) -> tuple[str, ...]:
    """Return the columns of a match, and of its seats, that differ from the record."""
    rows = records.rows_of(record)
    query = f"select {', '.join(records.MATCH)}, figures from main.matches where number = ?"
    (stored,) = archive._rows(query, (number,))
    query = "select entry from seats where match = ? order by position"
    entries = [entry for (entry,) in archive._rows(query, (number,))]

    names = list(records.MATCH)
    names.append("figures")
    actual = list(stored)
    expected = list(rows.match)
    expected.append(records.figures(rows, entries))
    stored_seats = seat_rows(archive, number)
    for row, seat in zip(stored_seats, rows.seats, strict=True):
        names += SEAT_COLUMNS
        actual += row
        expected += seat.entry + seat.seat + seat.clocks

    differing: dict[str, None] = {}
    for name, cell, expected_cell in zip(names, actual, expected, strict=True):
        if cell != expected_cell:
            differing[name] = None
    return tuple(differing)


def seat_rows(archive: Database, number: int) -> list[Row]:
    """Return SEAT_COLUMNS of the seats of the match with this number, in order of play."""
    query = (
        f"select {', '.join(SEAT_COLUMNS)} from seats join entries on entry = entries.number "
        "left join clocks on clocks.match = seats.match and clocks.position = seats.position "
        "where seats.match = ? order by seats.position"
    )
    return list(archive._rows(query, (number,)))
