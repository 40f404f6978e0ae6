"""The event's SQLite file and the lock beside it: opened, upgraded, written in transactions, closed before a fork.

Only the main process writes, and no connection crosses a fork: `close` it before, the next call opens it again. Readers
never lock. What SQLite can't do is one line that says what to do. It knows no table; those are schema.py's.
"""

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from arena.archive import schema
from arena.errors import ArenaError


class Database:
    """The tables of one event; `writing` holds the lock until the end of the `with`."""

    def __init__(self, folder: Path, *, writing: bool) -> None:
        self.folder = folder
        self.path = folder / "event.sqlite"
        self._writing = writing
        self._lock: int | None = None
        self._open: sqlite3.Connection | None = None
        self._label: Callable[[str, str], str] | None = None

    @classmethod
    def open(cls, folder: Path, *, writing: bool = False) -> Self:
        """The tables of a results folder; ArenaError when it can't be read or written, or is in use by another run."""
        database = cls(folder, writing=writing)
        try:
            if writing:
                folder.mkdir(parents=True, exist_ok=True)
                database._take_lock()
            elif not database.path.is_file():
                raise ArenaError(f"{folder}: there are no results here; `arena run` makes some")
            database._connection()
        except BaseException as error:
            database.__exit__()
            if isinstance(error, OSError):
                verb = "written" if writing else "read"
                raise ArenaError(f"{folder}: cannot be {verb}: {error.strerror}; look at its permissions") from error
            raise
        return database

    def by_version(self, label: Callable[[str, str], str]) -> Self:
        """The same with its bots called what `label` says of name and digest; in records they keep their names."""
        self.close()
        self._label = label
        return self

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query of one's own, such as the leaderboard's."""
        with self._named_errors():
            yield from self._connection().execute(query, values)

    def is_current(self) -> bool:
        """Whether the file has the tables of our version: else each connection makes its own, with its own numbers."""
        return next(self.rows("pragma user_version")) == (schema.VERSION,)

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
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and on disk at the end of the `with`."""
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
