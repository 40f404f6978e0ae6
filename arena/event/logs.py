"""The log of an event: one file to which the main process and every referee process append.

A line is one call of the system, which appends it whole. So no process waits for another, and one that is killed may
leave half a line, and costs no other. A worker that is forked has inherited the open file; any other opens it by name.
"""

import errno
import logging
import mmap
import os
from pathlib import Path

from arena import system, whole_files
from arena.errors import ArenaError

FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"


class _File(logging.Handler):
    """A file that is no link: who shares the folder could have every line written elsewhere."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.setFormatter(logging.Formatter(FORMAT))
        self._file = os.fdopen(whole_files.open_to_append(path), "ab", buffering=0)
        self._errno = mmap.mmap(-1, 1)
        """The number of the last error, which forked workers share."""

    @property
    def failure(self) -> str:
        """The reason why lines are missing in it; empty if none are."""
        return os.strerror(self._errno[0]) if self._errno[0] else ""

    def emit(self, record: logging.LogRecord) -> None:
        """Append a line; the event goes on without one that cannot be written."""
        try:
            line = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
            if self._file.write(line) < len(line):
                self._errno[0] = errno.ENOSPC
        except OSError as error:
            self._errno[0] = error.errno or errno.EIO

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._file.close()


class Log:
    """The root logger's path to `folder/arena.log`, for this process and those that it forks."""

    def __init__(self, folder: Path) -> None:
        """Begin to write; ArenaError when the folder cannot be written."""
        try:
            whole_files.make_folder(folder.parent, folder.name)
            self._file = _File(folder / "arena.log")
        except OSError as error:
            raise ArenaError(f"{folder}: cannot be written: {error.strerror}; move it away") from error
        self._root = logging.getLogger()
        self._level = self._root.level
        self._others = self._root.handlers[:]
        self._root.handlers[:] = [self._file]  # `close` puts back those of a notebook or a test runner
        self._root.setLevel(logging.INFO)

    @property
    def failure(self) -> str:
        """The reason why lines are missing in it; empty if none are."""
        return self._file.failure

    def close(self) -> None:
        """Restore the root logger, and close the file."""
        self._root.handlers[:] = self._others
        self._root.setLevel(self._level)
        self._file.close()


def file_of_workers() -> Path | None:
    """Return the log of this process, if its workers are no forks of it and open the file themselves."""
    handlers = [] if system.LINUX else logging.getLogger().handlers
    return next((handler.path for handler in handlers if isinstance(handler, _File)), None)


def in_worker(file: Path | None) -> None:
    """Append to this file in a worker that is no fork."""
    if file is not None:
        logging.basicConfig(level=logging.INFO, handlers=[_File(file)])
