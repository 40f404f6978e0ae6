"""Records <-> the event's SQLite file: append, read back, resume.

It owns `event.sqlite` and the lock beside it. Only the main process writes, records are committed before `append`
returns, and no connection crosses a fork: `close` it before, the next call opens it again. Readers never lock.

With each batch its tallies are added up in the same transaction: what leaderboards are made of is never older than the
last row, and counted anew only when the plan is another.
"""

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from arena import records, schema
from arena.errors import ArenaError
from arena.event import Event, Played
from arena.game import Role
from arena.match import Abort, Ending, Record, digest_of
from arena.standings import Tally

MATCH = f"""
insert into matches ({", ".join(records.MATCH)}, planned)
values ({", ".join("?" * len(records.MATCH))}, ?1 in (select match from plan)) on conflict (id) do nothing
"""
NOTE = "insert or replace into meta values (?, ?)"


class Archive:
    """One event's results; `writing` holds the lock until the end of the `with`."""

    def __init__(self, folder: Path, *, writing: bool) -> None:
        self.folder = folder
        self.path = folder / "event.sqlite"
        self._writing = writing
        self._lock: int | None = None
        self._open: sqlite3.Connection | None = None
        self._label: Callable[[str, str], str] | None = None

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

    def by_version(self, label: Callable[[str, str], str]) -> Self:
        """This archive with its bots called what `label` says of name and digest; in records they keep their names."""
        self.close()
        self._label = label
        return self

    def begin(self, event: Event, plan: Iterable[str]) -> None:
        """Store what is being played: the event, and the ids of its plan. An earlier plan is replaced."""
        ids = sorted(plan)
        mark = digest_of(ids)
        with self._transaction() as connection:
            connection.execute(NOTE, ("event", records.event_text(event)))
            if connection.execute("select 1 from meta where key = 'plan' and value = ?", (mark,)).fetchone() is None:
                connection.execute(NOTE, ("plan", mark))
                _plan(connection, ids)

    def append(self, *played: Record) -> None:
        """Store records, all or none; they are on disk when this returns. The same id twice counts once."""
        rows = [records.rows_of(record) for record in played]
        with self._transaction() as connection:
            (last,) = connection.execute("select ifnull(max(number), 0) from matches").fetchone()
            for row in rows:
                _insert(connection, row)
            connection.execute(schema.COUNT, (last,))

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
            event = records.event_of(text)
            if self._label is None:
                return event
            bots = tuple(replace(bot, name=self._label(bot.name, bot.digest)) for bot in event.bots)
            return replace(event, bots=tuple(sorted(bots, key=lambda bot: bot.name)))
        raise ArenaError(f"{self.folder}: no event was begun here; `arena run` does")

    def played(self, *, all_versions: bool = False) -> tuple[Played, ...]:
        """The finished matches of the current plan, or of every bot, board and rule that there ever was; by id."""
        query = f"select number, {', '.join(records.PLAYED)} from matches where planned or ? order by id"
        matches = list(self.rows(query, all_versions))  # before their seats: what comes between has no match here
        seats: dict[int, list[records.Row]] = {}
        query = "select match, role, bot, score, ending from seats join entries on entry = number order by match, place"
        for match, *seat in self.rows(query):
            seats.setdefault(match, []).append(tuple(seat))
        return tuple(records.played_of(tuple(row), seats[number]) for number, *row in matches)

    def tallies(self, *, all_versions: bool = False) -> tuple[Tally, ...]:
        """The same matches as sums; as quick for many as for few."""
        query = (
            "select game || '/' || board, role, bot, result, ending, sum(seats), sum(score) from tallies "
            "join entries on entry = number where planned or ? group by game, board, role, bot, result, ending"
        )
        return tuple(
            Tally(
                board=board,
                role=role,
                bot=bot,
                result=result or None,
                ending=Ending(ending) if ending else None,
                seats=seats,
                score=score,
            )
            for board, role, bot, result, ending, seats, score in self.rows(query, all_versions)
        )

    def count(self, *, all_versions: bool = False) -> int:
        """How many matches are finished."""
        ((count,),) = self.rows("select count(*) from matches where planned or ?", all_versions)
        return int(count)

    def boards(self) -> dict[str, tuple[Role, ...]]:
        """The roles of each `game/board` that was ever played, by the match of it that is last by id."""
        labels = self.rows("select game || '/' || board, max(id) from matches group by game, board order by min(id)")
        query = (
            "select role from matches join seats on match = matches.number join entries on entry = entries.number "
            "where id = ? order by place"
        )
        return {label: tuple(role for (role,) in self.rows(query, match)) for label, match in list(labels)}

    def mark(self) -> str:
        """What all that is read here hangs on, aborts apart; what is kept under it is right while it is the same."""
        ((last,),) = self.rows("select ifnull(max(number), 0) from matches")
        plan = [value for (value,) in self.rows("select value from meta where key = 'plan'")]
        return "-".join([*plan, str(last)])

    def record(self, prefix: str) -> Record:
        """The record whose id begins so; ArenaError when there is none, or more than one."""
        query = "select record from matches join records on match = number where id >= ?1 and id < ?1 || 'g' limit 2"
        rows = list(self.rows(query, prefix))  # an id is hex digits, which are all below `g`
        if len(rows) != 1 or not prefix:
            many = "several matches begin" if rows else "no match begins"
            raise ArenaError(f"{self.folder}: {many} with {prefix!r}; matches.csv lists their ids")
        return records.unpacked(rows[0][0])

    def records(self, *, all_versions: bool = True) -> Iterator[Record]:
        """Every record, or those of the current plan; by id."""
        query = "select record from matches join records on match = number where planned or ? order by id"
        for (blob,) in self.rows(query, all_versions):
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
            if self._label is not None:
                schema.relabel(connection, self._label)
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
        if version > schema.VERSION:
            raise ArenaError(f"{self.path}: was written by a newer arena: upgrade arena, or play under another name")
        if self._writing:
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
        if version == 0:
            self._make_tables(connection)
        elif version < schema.VERSION:
            (schema.upgrade if self._writing else schema.overlay)(connection)

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        if not self._writing:
            raise ArenaError(f"{self.path}: holds no results; `arena run` makes some")
        if connection.execute("select 1 from sqlite_master").fetchone():
            raise ArenaError(f"{self.path}: is a database of something else; move it away, or play under another name")
        schema.make(connection)

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


def _insert(connection: sqlite3.Connection, rows: records.Rows) -> None:
    """A match that is not there yet, with its seats."""
    done = connection.execute(MATCH, rows.match)
    if not done.rowcount:
        return
    number = done.lastrowid
    connection.execute("insert into records values (?, ?)", (number, rows.packed))
    for place, (entry, seat, clocks) in enumerate(rows.seats):
        connection.execute(schema.ENTRY, entry)
        connection.execute(schema.SEAT, (number, place, *entry, *seat))
        connection.execute("insert into clocks values (?, ?, ?, ?, ?)", (number, place, *clocks))


def _plan(connection: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Another plan: other matches count."""
    connection.execute("delete from plan")
    connection.executemany("insert into plan values (?)", ((match,) for match in ids))
    connection.execute("update matches set planned = not planned where planned != (id in (select match from plan))")
    connection.execute("delete from tallies")
    connection.execute(schema.COUNT, (0,))
