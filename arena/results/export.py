"""An event as tables for other programs: JSON lines, Parquet or SQLite, by a versioned schema.

The tables are matches, seats and turns. Everything is read from the records, a chunk at a time, so
that the memory that it takes does not grow with the event. It knows the archive, and neither rules
nor the command line.
"""

# Theory of operation
#
# The numbers of the matches are listed first; then all cores unpack records (parallel.py), a chunk
# of matches each, and hand back their part of each table, ready to be written: bytes of JSON lines,
# or a record batch of Arrow. This process only writes, in the order in which the matches were
# stored. Records never change, so a run may go on meanwhile.
#
# Parquet is written in row groups. A group for each chunk would be too small: a million matches
# would have thousands of groups, whose descriptions the writer holds to the end and every reader
# reads first. So batches are collected up to GROUP_ROWS.

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pydantic_core import to_json

from arena import parallel, system, whole_files
from arena.errors import ArenaError
from arena.results.archive import Archive
from arena.results.archive.records import valid_text
from arena.results.standings import seat_results
from arena.values import Played, Record

if TYPE_CHECKING:
    import pyarrow

SCHEMA = 2
"""The version of the tables below.

A new column leaves it as it is; any other change is a new version.
"""
MANIFEST = "export.json"
FORMATS = ("jsonl", "parquet", "sqlite")
DATABASE = "tables.sqlite"
CHUNK = 100
"""Matches that are unpacked at once."""
GROUP_ROWS = 100_000
MOST_WORKERS = 8
"""More would make parts faster than this process writes them, and only fill the memory."""
Row = tuple[Any, ...]


class ExportColumn(NamedTuple):
    """A column of an exported table."""

    name: str
    kind: str
    """`text`, `integer`, `float`, `boolean`, `time` or `list of texts`; with a `?` if it can be
    empty (null)."""
    meaning: str
    """For a reader of docs/export.md, with the unit."""


MATCHES = (
    ExportColumn("match", "text", "its id, 12 hex digits"),
    ExportColumn("game", "text", "the game"),
    ExportColumn("board", "text", "the board; `game/board` is its full name"),
    ExportColumn(
        "repeat", "integer", "0, 1, ...: its number among the matches of the same pairing"
    ),
    ExportColumn(
        "seed",
        "integer",
        "the same for all legs of a pairing; with a secret seed nothing is sampled from it",
    ),
    ExportColumn("reason", "text", "the rules' word for how it ended, or `forfeit`"),
    ExportColumn("turns", "integer", "how many turns were played"),
    ExportColumn("started", "time", "when it began, UTC"),
    ExportColumn("seconds", "float", "how long it took on the wall, seconds"),
    ExportColumn("sandbox", "text", "the level of confinement of its bots"),
    ExportColumn(
        "counts",
        "boolean",
        "true if it is a match of the current plan; false for matches of earlier plans",
    ),
    ExportColumn(
        "machine",
        "text",
        "the machine of a cluster that played it; empty when the machine of the run did",
    ),
    ExportColumn(
        "scale",
        "float",
        "how many times the event's time its bots had, because this machine is slower or faster",
    ),
    ExportColumn(
        "sampled", "text?", "the parameters of a board that was sampled for the event, as JSON"
    ),
)
SEATS = (
    ExportColumn("match", "text", "the id of its match"),
    ExportColumn("position", "integer", "0, 1, ...: its position in the order of play"),
    ExportColumn("role", "text", "the role"),
    ExportColumn("side", "integer", "roles of one number win together"),
    ExportColumn("bot", "text", "the name of the bot"),
    ExportColumn("digest", "text", "a hash of the bot's files: its version"),
    ExportColumn("score", "integer", "the score of the role"),
    ExportColumn(
        "result",
        "text?",
        "`won`, `drawn` or `lost`, in the first seat of each bot; a match for one side has none",
    ),
    ExportColumn("ending", "text?", "how the seat failed, if it did (docs/endings.md)"),
    ExportColumn("words", "text?", "the sentence about that; it may quote what the bot printed"),
    ExportColumn("fault_turn", "integer?", "the turn of the failure; 0 = before the first"),
    ExportColumn("ready", "float?", "seconds from its start to `ready`; empty if it never came"),
    ExportColumn("exit", "text", "how its process ended; empty if it never ran"),
    ExportColumn("killed", "boolean", "true if arena ended it"),
    ExportColumn("memory", "integer", "peak resident memory, bytes"),
    ExportColumn("cpu", "float", "CPU time of the whole match, seconds"),
    ExportColumn(
        "confined",
        "text",
        "its level of confinement, its cgroup and its user; empty if it never ran",
    ),
)
TURNS = (
    ExportColumn("match", "text", "the id of its match"),
    ExportColumn("turn", "integer", "1, 2, ...; moves at the same time share a number"),
    ExportColumn(
        "role", "text", "the role that moved; `chance` for what the game leaves to chance"
    ),
    ExportColumn("move", "text", "the move that was played"),
    ExportColumn(
        "by", "text", "who chose it: `bot`, `strike`, `substitute`, `chance` or `opening`"
    ),
    ExportColumn(
        "rejected",
        "text?",
        "the answer that was refused and forgiven, cleaned, where `by` is `strike`",
    ),
    ExportColumn("refused", "text?", "the reason of the refusal: `illegal_move` or `garbled`"),
    ExportColumn("wall", "float", "seconds from the question to the answer"),
    ExportColumn("cpu", "float", "CPU time that the bot used since its last answer, seconds"),
    ExportColumn("waited", "float", "how long the bot had no core, seconds"),
    ExportColumn(
        "late", "float", "how long the answer was there before the referee read it, seconds"
    ),
    ExportColumn("remarks", "list of texts", "the bot's lines that began with `#`"),
    ExportColumn("state", "text", "a hash of the state after the turn, 16 hex digits"),
)
TABLES = {"matches": MATCHES, "seats": SEATS, "turns": TURNS}
"""The columns of each table, in order; docs/export.md is made from them."""


@dataclass(frozen=True)
class Exported:
    """The files that were written."""

    files: tuple[Path, ...]
    """A file for each table, and the manifest."""
    rows: dict[str, int]
    """The number of rows of each table."""


def write(
    archive: Archive,
    folder: Path,
    form: str,
    *,
    all_versions: bool = False,
    tell: Callable[[int, int], object] = lambda _done, _total: None,
) -> Exported:
    """Write the tables of an archive into a folder; `form` is one of FORMATS.

    Each file gets its name when it is whole, and the manifest comes last. `tell` is called with the
    number of matches that are done, and that of all matches. Raise OSError if a file cannot be
    written, and DamagedError if a record is missing.
    """
    convert, open_tables = _format(form)
    event = archive.event().name
    counted = archive
    if all_versions:
        counted = archive.of_all_versions()
    numbers = counted.numbers_in_order()
    archive.close()  # no connection is open in a process that forks
    whole_files.make_folder(folder)
    whole_files.remove(folder / MANIFEST)  # without it the tables are those of an unfinished export

    rows = dict.fromkeys(TABLES, 0)
    done = 0
    with open_tables(folder) as (files, add_to):
        chunks = (numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK))
        workers = min(MOST_WORKERS, len(system.cores()))
        unpack = partial(_chunk, archive, convert)
        for count, parts in parallel.parallel_map(unpack, chunks, cores=workers):
            for name, (length, part) in parts.items():
                add_to[name](part)
                rows[name] += length
            done += count
            tell(done, len(numbers))
        if done < len(numbers):
            missing = len(numbers) - done
            raise archive.damaged(f"{missing} of {len(numbers)} records are missing")

    kinds = {}
    for name, columns in TABLES.items():
        kinds[name] = {column.name: column.kind for column in columns}
    manifest = {
        "schema": SCHEMA,
        "event": event,
        "format": form,
        "all_versions": all_versions,
        "rows": rows,
        "columns": kinds,
    }
    content = json.dumps(manifest, indent=1).encode()
    path = whole_files.write(folder / MANIFEST, content)
    return Exported((*files, path), rows)


def rows_of(record: Record, *, counts: bool) -> dict[str, list[Row]]:
    """Return the rows that a record has in each table; all texts are valid in UTF-8."""
    played = Played.of(record)
    return {
        "matches": [_match_row(record, played, counts=counts)],
        "seats": _seat_rows(record, played),
        "turns": _turn_rows(record),
    }


def _match_row(record: Record, played: Played, *, counts: bool) -> Row:
    """Return the row of a match, with the columns MATCHES."""
    match = record.match
    sampled = None
    if match.sampled:
        sampled = valid_text(match.sampled)
    return (
        match.id,
        match.game,
        match.board,
        match.repeat,
        match.seed,
        valid_text(record.verdict.reason),
        played.turns,
        record.started,
        record.seconds,
        match.conditions.sandbox,
        counts,
        valid_text(record.machine),
        record.scale,
        sampled,
    )


def _seat_rows(record: Record, played: Played) -> list[Row]:
    """Return the rows of a match's seats, with the columns SEATS."""
    results = {role: result for role, _, result, _ in seat_results(played)}
    faults = {fault.role: fault for fault in reversed(record.verdict.faults)}  # the first counts
    sides = {}
    for side, roles in enumerate(record.sides):
        for role in roles:
            sides[role] = side
    rows = []
    for position, seat in enumerate(record.seats):
        role = seat.role
        ending = words = turn = None
        fault = faults.get(role)
        if fault is not None:
            ending = fault.ending.value
            words = valid_text(fault.words)
            turn = fault.turn
        row = (
            record.match.id,
            position,
            role,
            sides[role],
            valid_text(seat.bot),
            seat.digest,
            record.verdict.scores[role],
            results[role],
            ending,
            words,
            turn,
            seat.ready,
            seat.exit,
            seat.killed,
            seat.memory,
            seat.cpu,
            seat.confined,
        )
        rows.append(row)
    return rows


def _turn_rows(record: Record) -> list[Row]:
    """Return the rows of a match's turns, with the columns TURNS."""
    rows = []
    for turn in record.turns:
        rejected = turn.rejected_text
        if rejected is not None:
            rejected = valid_text(rejected)
        refused = None
        if turn.refused is not None:
            refused = turn.refused.value
        row = (
            record.match.id,
            turn.number,
            turn.role,
            valid_text(turn.move),
            turn.by,
            rejected,
            refused,
            turn.wall,
            turn.cpu,
            turn.waited,
            turn.late,
            [valid_text(remark) for remark in turn.remarks],
            turn.digest,
        )
        rows.append(row)
    return rows


Part = Any
"""A part of a table: bytes of JSON lines, a record batch of Arrow, or rows of a database."""
Convert = Callable[[str, list[Row]], Part]
"""Make a part of the table of this name."""
Add = Callable[[Part], object]
"""Write the next part of a table to its file."""


def _chunk(
    archive: Archive,
    convert: Convert,
    numbers: Iterable[int],
) -> tuple[int, dict[str, tuple[int, Part]]]:
    """Return the number of these matches, and for each table the number of their rows and a part.

    The part has these rows.
    """
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    count = 0
    for record, counts in archive.records_numbered(numbers):
        count += 1
        for name, rows in rows_of(record, counts=counts).items():
            tables[name] += rows
    archive.close()
    parts = {}
    for name, rows in tables.items():
        part = convert(name, rows)
        parts[name] = (len(rows), part)
    return count, parts


OpenTables = Callable[[Path], AbstractContextManager[tuple[tuple[Path, ...], dict[str, Add]]]]
"""Open the files of all tables in a folder, which get their names at the end.

It yields their paths, and writers by table.
"""


def _format(form: str) -> tuple[Convert, OpenTables]:
    """Return how to make parts of a table, and how to open the files.

    Raise ArenaError if the package pyarrow is needed and not installed.
    """
    if form == "sqlite":
        return _database_rows, _database
    if form == "jsonl":
        return _json_lines, partial(_file_each, form, _text_file)
    try:  # before anything is written
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise ArenaError(
            "--format parquet: the package pyarrow is not installed; install it (`pip install "
            "'botarena[parquet]'`), or take --format jsonl"
        ) from error
    return _batch, partial(_file_each, form, _parquet_file)


@contextmanager
def _file_each(
    form: str,
    open_file: Callable[[str, BinaryIO], AbstractContextManager[Add]],
    folder: Path,
) -> Iterator[tuple[tuple[Path, ...], dict[str, Add]]]:
    """Open a file for each table."""
    paths = []
    writers = {}
    with ExitStack() as stack:
        for name in TABLES:
            path = folder / f"{name}.{form}"
            replacing = whole_files.replacing(path)
            file = stack.enter_context(replacing)
            paths.append(path)
            opening = open_file(name, file)
            writers[name] = stack.enter_context(opening)
        yield tuple(paths), writers


def _text_file(_table: str, file: BinaryIO) -> AbstractContextManager[Add]:
    return nullcontext(file.write)


def _database_rows(_table: str, rows: list[Row]) -> list[Row]:
    """Return rows as SQLite stores them: a list as JSON."""
    stored = []
    for row in rows:
        cells = []
        for cell in row:
            if type(cell) is list:
                cell = json.dumps(cell)
            cells.append(cell)
        stored.append(tuple(cells))
    return stored


@contextmanager
def _database(folder: Path) -> Iterator[tuple[tuple[Path, ...], dict[str, Add]]]:
    """Open one database for all tables."""
    with whole_files.staging(folder) as staged:

        def run(query: str, rows: Iterable[Row] = ((),)) -> None:
            # The database is opened for each part: the processes that unpack records are forks,
            # and may not inherit a connection.
            with closing(sqlite3.connect(staged / DATABASE)) as connection, connection:
                # The file gets its name, and is on disk, when it is whole.
                connection.execute("pragma synchronous = off")
                connection.executemany(query, rows)

        writers: dict[str, Add] = {}
        for name, columns in TABLES.items():
            declarations = ", ".join(map(_database_column, columns))
            run(f"create table {name} ({declarations})")
            values = ", ".join("?" * len(columns))
            insert = f"insert into {name} values ({values})"
            writers[name] = partial(run, insert)
        yield (folder / DATABASE,), writers
        for name in TABLES:
            run(f"create index {name}_match on {name} (match)")
        whole_files.publish(staged / DATABASE, folder / DATABASE)


SQL_TYPES = {"integer": "integer", "boolean": "integer", "float": "real"}
"""The types of SQLite by kind of a column; all other kinds are texts."""


def _database_column(column: ExportColumn) -> str:
    kind = SQL_TYPES.get(column.kind.rstrip("?"), "text")
    declaration = f'"{column.name}" {kind}'
    if not column.kind.endswith("?"):
        declaration += " not null"
    return declaration


def _json_lines(table: str, rows: list[Row]) -> bytes:
    names = [column.name for column in TABLES[table]]
    lines = []
    for row in rows:
        cells = dict(zip(names, row, strict=True))
        line = to_json(cells)  # the module json takes five times as long
        lines.append(line + b"\n")
    return b"".join(lines)


def _batch(table: str, rows: list[Row]) -> "pyarrow.RecordBatch":
    import pyarrow

    schema = _arrow_schema(table)
    arrays = []
    for number, field in enumerate(schema):
        column = [row[number] for row in rows]
        if field.name == "started":
            texts = pyarrow.array(column, pyarrow.string())
            cells = texts.cast(field.type)
        else:
            cells = pyarrow.array(column, field.type)
        arrays.append(cells)
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _arrow_schema(table: str) -> "pyarrow.Schema":
    import pyarrow

    types = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "float": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "time": pyarrow.timestamp("ms", "UTC"),
        "list of texts": pyarrow.list_(pyarrow.string()),
    }
    fields = []
    for column in TABLES[table]:
        kind = types[column.kind.rstrip("?")]
        nullable = column.kind.endswith("?")
        field = pyarrow.field(column.name, kind, nullable=nullable)
        fields.append(field)
    metadata = {
        "botarena.schema": str(SCHEMA),
        "botarena.table": table,
    }
    return pyarrow.schema(fields, metadata)


@contextmanager
def _parquet_file(table: str, file: BinaryIO) -> Iterator[Add]:
    """Collect record batches up to GROUP_ROWS, and write each collection as a row group."""
    import pyarrow
    from pyarrow import parquet

    schema = _arrow_schema(table)
    batches: list[pyarrow.RecordBatch] = []
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def write_group() -> None:
            group = pyarrow.Table.from_batches(batches, schema)
            writer.write_table(group, row_group_size=group.num_rows)
            batches.clear()

        def add(batch: "pyarrow.RecordBatch") -> None:
            batches.append(batch)
            if sum(batch.num_rows for batch in batches) >= GROUP_ROWS:
                write_group()

        yield add
        if any(batch.num_rows for batch in batches):
            write_group()
