"""The log of an event: one file to which the main process and every referee process append their lines.

A forked process inherits the open file. The kernel appends each line whole (O_APPEND), so no process waits for another
and none carries another's lines.
"""

import errno
import logging
import mmap
import os
import sys
from io import TextIOWrapper
from pathlib import Path

from arena import durable

FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"


class _File(logging.FileHandler):
    """A file that is no link: who shares the folder could have every line written elsewhere."""

    def _open(self) -> TextIOWrapper:
        descriptor = durable.open_to_append(Path(self.baseFilename))
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding, errors=self.errors)


class Log:
    """The root logger's path to `folder/arena.log`, for this process and those that it forks."""

    def __init__(self, folder: Path) -> None:
        durable.make_folder(folder.parent, folder.name)
        self._errno = mmap.mmap(-1, 1)
        """Shared with the forked processes: the number of the first error by which a line was lost, 0 = none."""
        self._file = _File(folder / "arena.log", encoding="utf-8", errors="backslashreplace")
        setattr(self._file, "handleError", self._missed)  # noqa: B010 (the default prints a traceback; mypy forbids an assignment)
        self._file.setFormatter(logging.Formatter(FORMAT))
        self._root = logging.getLogger()
        self._before = self._root.handlers[:], self._root.level
        self._root.handlers[:] = [self._file]  # `close` puts back those of a notebook or a test runner
        self._root.setLevel(logging.INFO)

    @property
    def failure(self) -> str:
        """The reason why lines are missing in it; empty if none are."""
        return os.strerror(self._errno[0]) if self._errno[0] else ""

    def _missed(self, _record: logging.LogRecord) -> None:
        """Remember why a line could not be written; the event goes on without it."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self._errno[0] = self._errno[0] or error.errno or errno.EIO
            # The lines in its buffer would fail again at each flush.
            with Path(os.devnull).open("w") as nowhere:
                if self._file.stream is not None:
                    os.dup2(nowhere.fileno(), self._file.stream.fileno())

    def close(self) -> None:
        """Close the file, and restore the root logger."""
        handlers, level = self._before
        self._root.handlers[:] = handlers
        self._root.setLevel(level)
        self._file.close()
