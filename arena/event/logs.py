"""The log of an event: one file that the main process and every referee process write to.

A worker sends each line to the main process, and goes on when the line is in the pipe. It has a pipe to which nobody
else writes: one that is killed in the middle of a line costs no line but its own, and nobody waits for the rest of it.
For each pipe a thread of the main process writes what comes. Where workers are no forks, each appends to the file.
"""

import contextlib
import errno
import logging
import os
import sys
from io import TextIOWrapper
from logging.handlers import QueueHandler
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

from arena import system, whole_files
from arena.errors import ArenaError

FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"
CLOSE_S = 5.0  # for the last lines of a worker; only one that nobody can end takes so long


class _File(logging.FileHandler):
    """A file that is no link: who shares the folder could have every line written elsewhere."""

    failure = ""
    """The reason why lines are missing in it; empty if none are."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self.setFormatter(logging.Formatter(FORMAT))

    def _open(self) -> TextIOWrapper:
        descriptor = whole_files.open_to_append(Path(self.baseFilename))
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the name that logging gave it)
        """Remember why a line could not be written; the event goes on without it."""
        del record
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.failure = self.failure or os.strerror(error.errno or errno.EIO)
            # The lines in its buffer would fail again at each flush.
            with Path(os.devnull).open("w") as nowhere:
                if self.stream is not None:
                    os.dup2(nowhere.fileno(), self.stream.fileno())


class _Pipe(QueueHandler):
    """The way of a worker's lines to the main process; `queue` is the end of a pipe."""

    queue: Connection  # type: ignore[assignment]

    def enqueue(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self.queue.send(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the name that logging gave it)
        """Go on without the line: nobody reads the pipe any more."""


class Log:
    """The root logger's path to `folder/arena.log`, for this process and those that it forks."""

    def __init__(self, folder: Path) -> None:
        """Begin to write; ArenaError when the folder cannot be written."""
        try:
            whole_files.make_folder(folder.parent, folder.name)
            self._file = _File(folder / "arena.log")
        except OSError as error:
            raise ArenaError(f"{folder}: cannot be written: {error.strerror}; move it away") from error
        self._threads: list[Thread] = []
        self._root = logging.getLogger()
        self._level = self._root.level
        self._others = self._root.handlers[:]
        self._root.handlers[:] = [self._file]  # `close` puts back those of a notebook or a test runner
        self._root.setLevel(logging.INFO)

    @property
    def failure(self) -> str:
        """The reason why lines are missing in it; empty if none are."""
        return self._file.failure

    def renew(self) -> None:
        """Make a pipe for the lines of the worker that is forked next."""
        global _of_next_worker
        if not system.LINUX:
            return
        _end_pipe()  # or the next worker would hold that of the worker before it open
        reader, writer = Pipe(duplex=False)
        _of_next_worker = _Pipe(writer)  # type: ignore[arg-type]
        thread = Thread(target=self._write, args=(reader,), name="arena-log", daemon=True)
        thread.start()
        self._threads.append(thread)

    def close(self) -> None:
        """Write the lines that are still under way, and restore the root logger. No worker may be there any more."""
        self._root.handlers[:] = self._others
        self._root.setLevel(self._level)
        _end_pipe()
        for thread in self._threads:
            thread.join(CLOSE_S)
        self._file.close()

    def _write(self, lines: Connection) -> None:
        """In a thread: write the lines of a worker until nobody can send one any more."""
        with lines, contextlib.suppress(EOFError, OSError):
            while True:
                self._file.handle(lines.recv())


_of_next_worker: _Pipe | None = None


def _end_pipe() -> None:
    global _of_next_worker
    if _of_next_worker is not None:
        _of_next_worker.queue.close()
        _of_next_worker = None


def file_of_workers() -> Path | None:
    """Return the log of this process, if its workers are no forks of it and append to the file themselves."""
    handlers = [] if system.LINUX else logging.getLogger().handlers
    return next((Path(handler.baseFilename) for handler in handlers if isinstance(handler, _File)), None)


def in_worker(file: Path | None) -> None:
    """Log to the file, or, as a worker that was forked just now, to the log of the main process."""
    if file is not None:
        logging.basicConfig(level=logging.INFO, handlers=[_File(file)])
    elif _of_next_worker is not None:
        logging.getLogger().handlers[:] = [_of_next_worker]
