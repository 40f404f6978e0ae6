"""Records <-> the event's SQLite file: append, read back, resume.

It owns `event.sqlite` and the lock beside it. Only the main process writes, each record is committed before `append`
returns, and no connection crosses a fork: `close` it before, the next call opens it again. Readers never lock.
"""

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from arena import records
from arena.errors import ArenaError
from arena.event import Event, Played
from arena.match import Abort, Record

VERSION = 1
TABLES = """
create table meta (key text primary key, value text not null) without rowid;
create table plan (match text primary key) without rowid;
create table matches (
  number integer primary key, id text not null unique, game text not null, board text not null, repeat integer not null,
  seed integer not null, reason text not null, turns integer not null, sides text not null, seconds real not null,
  started text not null, record blob not null);
create table seats (
  match text not null, place integer not null, role text not null, bot text not null, digest text not null,
  score integer not null, ending text, words text, fault_turn integer, ready real, exit text not null,
  killed integer not null, memory integer not null, cpu real not null, turns integer not null,
  walls blob not null, cpus blob not null, waits blob not null,
  primary key (match, place)) without rowid;
create table aborts (match text not null, attempt integer not null, cause text not null);
"""
INSERT_MATCH = f"insert into matches ({', '.join(records.MATCH)}) values ({', '.join('?' * len(records.MATCH))})"
INSERT_SEAT = f"insert into seats ({', '.join(records.SEAT)}) values ({', '.join('?' * len(records.SEAT))})"


class Archive:
    """One event's results; `writing` holds the lock until the end of the `with`."""

    def __init__(self, folder: Path, *, writing: bool) -> None:
        self.folder = folder
        self.path = folder / "event.sqlite"
        self._writing = writing
        self._lock: int | None = None
        self._open: sqlite3.Connection | None = None

    @classmethod
    def open(cls, folder: Path, *, writing: bool = False) -> "Archive":
        """The archive of a results folder; ArenaError when it can't be read or written, or is in use by another run."""
        archive = cls(folder, writing=writing)
        try:
            if writing:
                folder.mkdir(parents=True, exist_ok=True)
                archive._take_lock()
            elif not archive.path.is_file():
                raise ArenaError(f"{folder}: there are no results here; `arena run` makes some")
            archive._connection()
        except BaseException as error:
            archive.__exit__()
            if isinstance(error, OSError):
                verb = "written" if writing else "read"
                raise ArenaError(f"{folder}: cannot be {verb}: {error.strerror}; look at its permissions") from error
            raise
        return archive

    def begin(self, event: Event, plan: Iterable[str]) -> None:
        """Store what is being played: the event, and the ids of its plan. An earlier plan is replaced."""
        with self._transaction() as connection:
            text = records.event_text(event)
            connection.execute("insert or replace into meta values ('event', ?)", (text,))
            connection.execute("delete from plan")
            connection.executemany("insert into plan values (?)", ((match,) for match in plan))

    def append(self, record: Record) -> None:
        """Store a record; it is on disk when this returns. The same id twice counts once."""
        with self._transaction() as connection:
            if connection.execute("select 1 from matches where id = ?", (record.match.id,)).fetchone() is None:
                connection.execute(INSERT_MATCH, records.match_row(record))
                connection.executemany(INSERT_SEAT, records.seat_rows(record))

    def append_abort(self, abort: Abort) -> None:
        """Store that arena failed a match."""
        with self._transaction() as connection:
            connection.execute("insert into aborts values (?, ?, ?)", records.abort_row(abort))

    def ids(self) -> set[str]:
        """Every match that is finished, of whatever plan."""
        return {row[0] for row in self.rows("select id from matches")}

    def event(self) -> Event:
        """The event that was played last."""
        for (text,) in self.rows("select value from meta where key = 'event'"):
            return records.event_of(text)
        raise ArenaError(f"{self.folder}: no event was begun here; `arena run` does")

    def played(self, *, all_versions: bool = False) -> tuple[Played, ...]:
        """The finished matches of the current plan, or of every bot, board and rule that there ever was; by id."""
        where = "" if all_versions else "where id in (select match from plan)"
        query = f"select {', '.join(records.PLAYED)} from matches {where} order by id"
        matches = list(self.rows(query))  # before their seats: what is stored between the two reads has no match here
        seats: dict[str, list[records.Row]] = {}
        for row in self.rows("select match, role, bot, score, ending from seats order by match, place"):
            seats.setdefault(row[0], []).append(row)
        return tuple(records.played_of(row, seats[row[0]]) for row in matches)

    def record(self, prefix: str) -> Record:
        """The record whose id begins so; ArenaError when there is none, or more than one."""
        rows = list(self.rows("select record from matches where substr(id, 1, ?) = ? limit 2", len(prefix), prefix))
        if len(rows) != 1 or not prefix:
            many = "several matches begin" if rows else "no match begins"
            raise ArenaError(f"{self.folder}: {many} with {prefix!r}; matches.csv lists their ids")
        return records.unpacked(rows[0][0])

    def records(self) -> Iterator[Record]:
        """Every record, by id."""
        for (blob,) in self.rows("select record from matches order by id"):
            yield records.unpacked(blob)

    def aborts(self) -> tuple[Abort, ...]:
        """The failures of arena itself, in order."""
        query = "select match, attempt, cause from aborts order by rowid"
        return tuple(Abort(match=match, attempt=attempt, cause=cause) for match, attempt, cause in self.rows(query))

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query of one's own, such as the leaderboard's."""
        with self._named_errors():
            yield from self._connection().execute(query, values)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> None:
        self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EACCES}:
                raise
            pid = os.read(self._lock, 20).decode("ascii", "replace").strip()
            who = f"process {pid}" if pid.isdigit() else "another process"
            raise ArenaError(f"{self.folder}: {who} is playing this event; wait for it, or stop it") from error
        os.ftruncate(self._lock, 0)
        os.write(self._lock, f"{os.getpid()}\n".encode())

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            with self._named_errors():
                self._open = self._connected()
        return self._open

    def _connected(self) -> sqlite3.Connection:
        """A connection to tables of our version."""
        connection = sqlite3.connect(self._address(), uri=True, isolation_level=None)
        try:
            connection.execute("pragma busy_timeout = 10000")
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _address(self) -> str:
        mode = "mode=rwc" if self._writing else "mode=ro"
        if not (self._writing or os.access(self.folder, os.W_OK) or Path(f"{self.path}-wal").exists()):
            mode = "immutable=1"  # WAL wants a file beside this one; where none can be, nobody writes either
        return f"{self.path.absolute().as_uri()}?{mode}"

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("pragma user_version").fetchone()
        if version > VERSION:
            raise ArenaError(f"{self.path}: was written by a newer arena: upgrade arena, or play under another name")
        if self._writing:
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
        if version == 0:
            self._make_tables(connection)

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        if not self._writing:
            raise ArenaError(f"{self.path}: holds no results; `arena run` makes some")
        if connection.execute("select 1 from sqlite_master").fetchone():
            raise ArenaError(f"{self.path}: is a database of something else; move it away, or play under another name")
        connection.executescript(f"begin; {TABLES} pragma user_version = {VERSION}; commit;")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        with self._named_errors():
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        """What SQLite can't do, in a line that says what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            hint = (
                "free some space and run the same command again" if "full" in str(error) else "look at its permissions"
            )
            raise ArenaError(f"{self.path}: {error}; {hint}") from error
        except sqlite3.DatabaseError as error:
            raise ArenaError(f"{self.path}: {error}; move it away, or play under another name") from error
