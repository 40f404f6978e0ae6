"""The event's SQLite file and the lock beside it.

The file is opened, written in transactions, and closed before a fork. An error of SQLite becomes
one line that says what to do. The tables are declared in schema.py.
"""

# Theory of operation
# -------------------
# One writer. Only the main process of a run writes, and it holds a lock on `.lock` in the folder.
# SQLite would serialise two writers, too, but two runs of one event would play the same matches and
# each replace the other's plan. The lock is a POSIX record lock, which the kernel releases when the
# process dies, so a killed run leaves none behind. The file has two lines for other processes: the
# pid of the holder, for a message, and a token that is drawn for each holder, by which
# event/control.py tells one run from the next.
#
# WAL, so that readers and the writer never wait for each other: `arena leaderboard` works while an
# event is played. JSON lines and Parquet files were measured, too, and were worse.
#
# synchronous = full: an fsync for each commit, so that a power cut loses no match that was reported
# as finished. With `normal`, which syncs at checkpoints only, a power cut lost 15 to 45 such
# matches. Records are appended in batches, so that this costs little.
#
# Readers read one moment. A reader begins a transaction that it never commits; all its queries
# until `close` see the file as it was at the first one. Otherwise a match that is stored between
# two queries would be in one table and not in the other. The price: SQLite cannot cut its log while
# a reader is open, so a reader that stays costs disk, some 28 kB for each commit, but no time. A
# limit gives this back when the reader has gone.
#
# Forks. SQLite forbids the use of a connection on both sides of a fork, so callers `close` before
# they fork; the next call opens it again.

import contextlib
import errno
import fcntl
import os
import secrets
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from arena import file_formats, shared_folders, system, whole_files
from arena.errors import ArenaError
from arena.identity import digest_of
from arena.results.archive import schema
from arena.results.folders import EVENT_FILE

DAMAGE = ("no such table", "Could not decode", "malformed")
"""Parts of messages about a damaged file for which SQLite, or Python, has no code of their own."""
LONGEST_VALUE = 128_000_000
"""Bytes of a value that is read; a list of four million ids is shorter."""
STEPS = 50_000_000
"""Steps of SQLite's machine that any query may take."""
STEPS_A_BYTE = 20
"""Steps that it may take for each byte of the file; with more it goes in circles."""
STEPS_AT_ONCE = 1_000_000
ROWS = 10_000
"""Rows that any query may have."""
BYTES_A_ROW = 8
"""A query may have a row for as many bytes of the file: the file has no room for more."""
BUSY_TIMEOUT_MS = 10_000
"""SQLite waits so long for a lock of another process before it raises an error."""
LOG_BYTES = 8_000_000
"""The log gives back to the disk what is beyond this, once no reader needs it."""
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a rollback journal behind the name of another file."""
FLOCK = struct.Struct("hhqqi4x")
"""The kernel's struct flock on 64-bit machines: type, whence, start, length, pid."""
LOCK_BYTES = 64
LOCK_WRITE_S = 0.5
"""Seconds after which a process that took the lock has written its lines into the file."""


Values = tuple[object, ...] | list[object]
"""The values of a query: no text, whose letters would be values of their own."""


class Holder(NamedTuple):
    """The process that writes to a results folder, as its lock file names it."""

    pid: str
    """Its number, in its own namespace of processes; empty if not known."""
    token: str
    """32 hex digits that no other process has, nor this one the next time; empty if not known."""


class NoResultsError(ArenaError):
    """There are no results: there is no file, or a run was killed before it had made the tables."""


class DamagedError(ArenaError):
    """The file is not as arena left it: a disk or a copy has changed or lost a part of it."""


@dataclass
class _Session:
    """The open connection, which the results of all games share."""

    connection: sqlite3.Connection | None = None
    steps: int = 0
    """Steps of SQLite's machine in this query, in units of STEPS_AT_ONCE."""
    size: int = 0
    """The bytes of the file and its log."""


class Database:
    """The tables of one event; `writing` holds the lock until the end of the `with`."""

    opened: ClassVar[set[Path]] = set()
    """The folders that were opened in this process.

    The command line looks for damage there when a command fails.
    """

    def __init__(self, folder: Path, *, writing: bool) -> None:
        self.opened.add(folder)
        self.folder = folder
        self.path = folder / EVENT_FILE
        self._writing = writing
        self._lock: int | None = None
        self.token = ""
        """The token of this holder of the lock; empty without `writing`."""
        self._session = _Session()
        self._name_of: Callable[[str, str], str] | None = None
        self._game: str | None = None
        self._all_versions = False

    @classmethod
    def open(cls, folder: Path, *, writing: bool = False) -> Self:
        """Open a results folder.

        Raise ArenaError if it cannot be read or written, or is in use by another run.
        """
        database = cls(folder, writing=writing)
        try:
            if writing:
                whole_files.make_folder(folder)
                database._take_lock()
            elif not database.path.is_file():
                raise NoResultsError(f"{folder}: there are no results here; `arena run` makes some")
            database._connection()
        except BaseException as error:
            database.__exit__()
            if not isinstance(error, OSError):
                raise
            verb = "read"
            if writing:
                verb = "written"
            path = folder
            hint = "look at its permissions"
            if error.strerror == shared_folders.NOT_PLAIN:
                path = error.filename
                hint = "move it away"
            raise ArenaError(f"{path}: cannot be {verb}: {error.strerror}; {hint}") from error
        return database

    @classmethod
    def make(cls, folder: Path) -> None:
        """Make the tables of a results folder, also where a killed run has made the file only."""
        cls.open(folder, writing=True).__exit__()

    @classmethod
    def holder(cls, folder: Path) -> Holder | None:
        """Return the process that writes to a results folder; None when no other process does.

        A process that holds the lock itself must not call this: when it closes any descriptor of
        the file, it releases its lock.
        """
        try:
            descriptor = shared_folders.open_plain(folder / ".lock")
        except OSError:
            return None
        try:
            until = time.monotonic() + LOCK_WRITE_S
            while True:
                query = FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
                answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, query)
                kind, *_ = FLOCK.unpack(answer)
                if kind == fcntl.F_UNLCK:
                    return None
                # A holder that has only just taken the lock may not have written its lines yet:
                # those in the file may be of the holder before it.
                content = os.pread(descriptor, LOCK_BYTES, 0)
                holder = _holder_in(content)
                if holder.token or time.monotonic() > until:
                    return holder
                time.sleep(LOCK_WRITE_S / 50)
        finally:
            os.close(descriptor)

    def by_version(self, name_of: Callable[[str, str], str]) -> Self:
        """Rename the bots: `name_of` returns a name for each name and digest.

        In records they keep their names.
        """
        self.close()
        self._name_of = name_of
        return self

    def of_game(self, game: str) -> Self:
        """Return the results of one game at the same moment."""
        narrowed = copy(self)
        narrowed._game = game
        return narrowed

    def of_all_versions(self) -> Self:
        """Return the results of the matches of all bots, boards and rules that ever played."""
        widened = copy(self)
        widened._all_versions = True
        return widened

    @property
    def suffix(self) -> str:
        """The end of the names of files that depend on what this archive reads.

        It differs by which matches count, by the names of bots, and by the game.
        """
        suffix = ""
        if self._all_versions:
            suffix += "-all"
        if self.renamed:
            suffix += "-renamed"
        if self._game is not None:
            suffix += f"-{digest_of(self._game)[:8]}"
        return suffix

    @property
    def renamed(self) -> bool:
        """True if bots have other names here than in their records."""
        return self._name_of is not None

    def unsound(self) -> str | None:
        """Return SQLite's first complaint about the file, or None."""
        for (complaint,) in self._rows("select * from pragma_quick_check(1)"):
            if str(complaint) != "ok":
                return str(complaint)
        return None

    def _rows(self, query: str, values: Values = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query of the matches that this archive reads.

        `main.matches` in it has all matches.
        """
        bot = "bot"
        if self._name_of is not None:
            bot = "name_of(bot, digest) as bot"
        seen = schema.SEEN.format(bot=bot)
        chosen = (self._all_versions, self._game, self._game)  # twice, see `schema.SEEN`
        all_values = chosen + chosen + tuple(values)
        with self._named_errors():
            connection = self._connection()
            self._session.steps = 0
            rows = connection.execute(seen + query, all_values)
            if self._writing:
                yield from rows
                return
            most = ROWS + self._session.size // BYTES_A_ROW
            yield from islice(rows, most)
            if next(rows, None) is not None:
                raise self.damaged("it has more rows than bytes for them")

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        if self._session.connection is not None:
            self._session.connection.close()
            self._session.connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> None:
        self._lock = whole_files.open_lock(self.folder / ".lock")
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EACCES}:
                raise
            content = os.read(self._lock, LOCK_BYTES)
            holder = _holder_in(content)
            process = "another process"
            if holder.pid:
                process = f"process {holder.pid}"
            raise ArenaError(
                f"{self.folder}: {process} is playing this event; wait for it, or stop it"
            ) from error
        self.token = secrets.token_hex(16)
        lines = f"{os.getpid()}\n{self.token}\n"
        os.ftruncate(self._lock, 0)
        os.write(self._lock, lines.encode())

    def _connection(self) -> sqlite3.Connection:
        """Return the connection to tables of our version, opened if necessary."""
        if self._session.connection is not None:
            return self._session.connection
        mode = "mode=ro"
        if self._writing:
            mode = "mode=rw"
        # WAL needs a file beside this one. Where none can be made, nobody writes either.
        has_log = Path(f"{self.path}-wal").exists()
        may_have_log = has_log or os.access(self.folder, os.W_OK)
        if not self._writing and not may_have_log:
            mode = "immutable=1"
        for suffix in ("", "-journal", "-shm", "-wal"):
            # SQLite opens whatever is there, and waits at a pipe.
            shared_folders.refuse_pipe(Path(f"{self.path}{suffix}"))
        if self._writing:
            whole_files.make_empty(self.path)  # SQLite would make the file that a link leads to
            self._refuse_journal()
        with self._named_errors():
            uri = f"{self.path.absolute().as_uri()}?{mode}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
            try:
                self._refuse_link()
                connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")
                connection.execute("pragma trusted_schema = off")
                if not self._writing:
                    self._limit(connection)
                    # It is never committed: all queries until `close` read one moment.
                    connection.execute("begin")
                self._prepare(connection)
                if self._name_of is not None:
                    connection.create_function("name_of", 2, self._name_of, deterministic=True)
            except BaseException:
                connection.close()
                raise
        self._session.connection = connection
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check the version of the file, and make the tables of a new one."""
        (version,) = connection.execute("pragma user_version").fetchone()
        if version:
            remedy = "; to begin anew, move it away, or play under another name"
            file_formats.ARCHIVE.check(version, f"{self.path}: its format", remedy)
        if self._writing:
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            connection.execute(f"pragma journal_size_limit = {LOG_BYTES}")
        if version:
            self._refuse_strange_tables(connection)
            return
        if not self._writing:
            raise NoResultsError(f"{self.path}: holds no results; `arena run` makes some")
        if connection.execute("select 1 from sqlite_master").fetchone():
            raise ArenaError(
                f"{self.path}: is a database of something else; move it away, or play under "
                "another name"
            )
        schema.make(connection)
        # SQLite syncs the content of the file, but not its name in the folder.
        whole_files.sync_folder(self.folder)

    def _refuse_journal(self) -> None:
        """Raise ArenaError for a journal that names another file.

        SQLite would roll it back and remove that file. Only a transaction in several databases has
        such a name, at the end of its journals, and arena has none.
        """
        journal = Path(f"{self.path}-journal")
        try:
            descriptor = shared_folders.open_plain(journal)
            with os.fdopen(descriptor, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, size - len(JOURNAL_MAGIC)))
                named = file.read() == JOURNAL_MAGIC
        except FileNotFoundError:
            return
        if named:
            raise ArenaError(
                f"{journal}: is no journal of arena's; remove it, and believe nothing in this "
                "folder"
            )

    def _refuse_link(self) -> None:
        """Raise ArenaError if SQLite, which follows links, has not opened the plain file here.

        Otherwise a person who shares the folder could have other results of the organiser read, and
        their tables written there.
        """
        with shared_folders.opened(self.folder) as folder:
            file = os.stat(self.path.name, dir_fd=folder, follow_symlinks=False)
        for descriptor in os.listdir(system.OPEN_FILES):  # noqa: PTH208 (only names are needed)
            with contextlib.suppress(OSError):
                opened = os.fstat(int(descriptor))
                is_same_device = opened.st_dev == file.st_dev
                if is_same_device and opened.st_ino == file.st_ino:
                    return
        raise ArenaError(f"{self.path}: is a symbolic link; name the folder that it leads to")

    def _limit(self, connection: sqlite3.Connection) -> None:
        """Bound what a query takes.

        A stranger may have made the file, and its pages may lead in circles.
        """
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        session = self._session
        session.size = self.path.stat().st_size
        log = Path(f"{self.path}-wal")
        if log.exists():
            session.size += log.stat().st_size
        most = (STEPS + STEPS_A_BYTE * session.size) // STEPS_AT_ONCE

        def count() -> bool:
            session.steps += 1
            return session.steps > most

        connection.set_progress_handler(count, STEPS_AT_ONCE)

    def _refuse_strange_tables(self, connection: sqlite3.Connection) -> None:
        """Raise ArenaError unless the tables are declared as arena does it, to the letter.

        A view in place of a table may have no end.
        """
        expected = schema.declarations()
        query = "select name, sql from sqlite_master where sql is not null"
        for name, sql in connection.execute(query):
            if expected.get(name) != sql:
                raise ArenaError(
                    f"{self.path}: {str(name)[:80]!a} in it is no table as arena makes it; if you "
                    "added it, remove it, else believe nothing in this file"
                )

    def damaged(self, reason: str) -> DamagedError:
        """Return the error for a damaged file, with a remedy."""
        return DamagedError(
            f"{self.path}: {reason}: the file is damaged; `arena verify` says which records still "
            "hold; to play all of it again, move the file away"
        )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit all changes of the `with` or none; at its end they are on disk."""
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
        """Turn SQLite's errors into ArenaErrors that say what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0)  # Python's own errors have none
            # A rollback journal: our files have one only until their tables are made.
            if code == sqlite3.SQLITE_READONLY_ROLLBACK:
                raise NoResultsError(
                    f"{self.path}: holds no results; `arena run` makes some"
                ) from error
            message = str(error)
            is_damage = any(sign in message for sign in DAMAGE)
            # We interrupt a query that reads more than the file has.
            if code == sqlite3.SQLITE_INTERRUPT or is_damage:
                reason, _, _ = message.partition(" with text ")
                raise self.damaged(reason) from error
            hint = "look at its permissions"
            if code == sqlite3.SQLITE_FULL:
                hint = "free some space and run the same command again"
            raise ArenaError(f"{self.path}: {error}; {hint}") from error
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG}:
                raise self.damaged(str(error)) from error
            raise ArenaError(
                f"{self.path}: {error}; move it away, or play under another name"
            ) from error


def _holder_in(content: bytes) -> Holder:
    """Return the holder that a lock file names; anybody may have written its lines."""
    text = content.decode("ascii", "replace")
    pid, _, rest = text.partition("\n")
    token, _, _ = rest.partition("\n")
    if not pid.isdigit():
        pid = ""
    if len(token) != 32:
        token = ""
    return Holder(pid, token)
