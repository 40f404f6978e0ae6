"""The log of an event: one file that the main process and every referee process write to.

`multiprocessing-logging` carries a forked worker's lines to the file. This module guards against its three traps:

- It refuses to work when fork is not the *default* start method.
- A spawned worker's lines are lost; so workers are forked, see workers.py.
- A worker that is killed while it writes leaves its queue locked, and every process that shares the queue hangs at its
  exit. So each restarted worker gets a new queue, and no process waits long for an old one.
"""

import contextlib
import errno
import logging
import multiprocessing
import os
import sys
import threading
from io import TextIOWrapper
from pathlib import Path

import multiprocessing_logging

from arena import whole_files
from arena.errors import ArenaError, MachineError

FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"
CLOSE_S = 1.0  # for the last lines of a queue; its own close would wait for five


class _File(logging.FileHandler):
    """A file that is no link: who shares the folder could have every line written elsewhere."""

    def _open(self) -> TextIOWrapper:
        descriptor = whole_files.open_to_append(Path(self.baseFilename))
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding, errors=self.errors)


class Log:
    """The root logger's path to `folder/arena.log`, for this process and those that it forks."""

    def __init__(self, folder: Path) -> None:
        """Begin to write; ArenaError when the folder cannot be written."""
        if multiprocessing.get_start_method(allow_none=True) != "fork":
            multiprocessing.set_start_method("fork", force=True)
        self._root = logging.getLogger()
        self._level = self._root.level
        self._others = self._root.handlers[:]
        self.failure = ""
        """The reason why lines are missing in it; empty if none are."""
        try:
            whole_files.make_folder(folder.parent, folder.name)
            self._file = _File(folder / "arena.log", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise ArenaError(f"{folder}: cannot be written: {error.strerror}; move it away") from error
        setattr(self._file, "handleError", self._missed)  # noqa: B010 (the default prints a traceback; mypy forbids an assignment)
        self._file.setFormatter(logging.Formatter(FORMAT))
        self._queues: list[logging.Handler] = []
        self._root.handlers[:] = [self._file]  # `close` puts back those of a notebook or a test runner
        self._root.setLevel(logging.INFO)
        self.renew()

    def renew(self) -> None:
        """Make a new queue for the workers that are forked from now on."""
        multiprocessing_logging.uninstall_mp_handler(self._root)
        try:
            multiprocessing_logging.install_mp_handler(self._root)
        except OSError as error:  # a queue needs a semaphore, and Linux keeps those in /dev/shm
            reason = f"no semaphore can be made: {error.strerror}"
            raise MachineError(f"/dev/shm: {reason}; it must be a folder that can be written") from error  # noqa: S108
        for queue in self._root.handlers:
            setattr(queue, "handleError", self._missed)  # noqa: B010
        self._queues += self._root.handlers

    def _missed(self, _record: logging.LogRecord) -> None:
        """Remember why a line could not be written; the event goes on without it."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.failure = self.failure or os.strerror(error.errno or errno.EIO)
            # The lines in its buffer would fail again at each flush.
            with Path(os.devnull).open("w") as nowhere:
                if self._file.stream is not None:
                    os.dup2(nowhere.fileno(), self._file.stream.fileno())

    def close(self) -> None:
        """Write the lines that are still under way, and restore the root logger."""
        self._root.handlers[:] = self._others
        self._root.setLevel(self._level)
        closing = [threading.Thread(target=queue.close, daemon=True) for queue in self._queues]
        with contextlib.suppress(RuntimeError):  # the system gives no more threads; then the last lines are lost
            for thread in closing:
                thread.start()
        for thread in closing:
            if thread.ident is not None:
                thread.join(CLOSE_S)
        for queue in self._queues:
            if isinstance(queue, multiprocessing_logging.MultiProcessingHandler):
                queue.queue.cancel_join_thread()  # do not wait at exit: a killed worker may have left it locked
        self._file.close()


def in_worker() -> None:
    """Keep a forked worker from waiting at exit for a queue that a killed neighbour may have left locked."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, multiprocessing_logging.MultiProcessingHandler):
            handler.queue.cancel_join_thread()
