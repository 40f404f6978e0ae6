"""The log of an event: one file that the main process and every referee process write to.

`multiprocessing-logging` carries a forked worker's lines to the file. This module guards against
its four traps:

- It needs fork as the *default* start method, and loses the lines of a worker that was spawned. So
  workers are forked, see workers.py. Where they cannot be forked, each appends to the file itself.
- A worker leaves the writing of its lines to a thread, and the lines that this thread has not
  written are lost when the worker ends. So a worker writes each line into its pipe before it goes
  on.
- A worker that is killed while it writes leaves half a line in the pipe, and all other processes
  that share the pipe hang. So each worker has a pipe to which only this worker writes, and no line
  of another worker is lost.
- The threads that read the pipes share the file without a lock, and closing a thread closes the
  file under the others. So lines are written under a lock, and the file is closed here, when all
  threads have ended.
"""

import contextlib
import errno
import logging
import multiprocessing
import os
import sys
import time
from io import TextIOWrapper
from pathlib import Path

from multiprocessing_logging import MultiProcessingHandler

from arena import system, whole_files
from arena.errors import ArenaError, MachineError

FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"
CLOSE_S = 5.0
"""The time for the last lines of a worker; only a worker that cannot be ended needs it all."""


class _Formatter(logging.Formatter):
    """Begins each line with its time in UTC, as in all other files.

    No hour of UTC comes twice a year, and the file has lines of machines in several time zones.
    """

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"


class _File(logging.FileHandler):
    """A log file that is no link: by a link a stranger could have the lines written elsewhere."""

    failure = ""
    """The reason why lines are missing in the file; empty if no line is missing."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self.setFormatter(_Formatter(FORMAT))

    def _open(self) -> TextIOWrapper:
        descriptor = whole_files.open_to_append(Path(self.baseFilename))
        file = os.fdopen(descriptor, "ab")
        return TextIOWrapper(file, encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line under the lock. `handle` would take it, but the library calls `emit`."""
        self.acquire()
        try:
            super().emit(record)
        finally:
            self.release()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (a name of logging)
        """Remember why a line could not be written; the event goes on without it."""
        del record
        _, error, _ = sys.exc_info()
        if not isinstance(error, OSError):
            return
        if not self.failure:
            self.failure = os.strerror(error.errno or errno.EIO)
        # The lines in the buffer would fail again at each flush.
        with Path(os.devnull).open("w") as null_device:
            if self.stream is not None:
                os.dup2(null_device.fileno(), self.stream.fileno())


class _Lines(MultiProcessingHandler):  # type: ignore[misc]  # the library ships no types
    """Carries the lines of one worker to the file, by a thread of the main process."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (a name of logging)
        """Go on without the line: nobody reads the pipe any more."""

    def _send(self, record: logging.LogRecord) -> None:
        # This runs in the worker, the only writer of its pipe. `Queue.put` would leave the writing
        # to a thread.
        self.queue._writer.send(record)

    def _receive(self) -> None:
        # This runs in the thread, which ends when no process can write any more. `Queue.get` with a
        # time limit takes twice as long.
        with contextlib.suppress(EOFError, OSError):
            while True:
                self.sub_handler.emit(self.queue._reader.recv())

    def end(self) -> None:
        """Let the thread end when it has read all that the worker wrote; in the main process."""
        self.queue._writer.close()

    def wait(self) -> None:
        """Wait for the end of the thread, after the worker has ended."""
        self._receive_thread.join(CLOSE_S)


class Log:
    """The root logger's path to `folder/arena.log`, for this process and those that it forks."""

    def __init__(self, folder: Path) -> None:
        """Begin to write; ArenaError when the folder cannot be written."""
        if system.LINUX and multiprocessing.get_start_method(allow_none=True) != "fork":
            multiprocessing.set_start_method("fork", force=True)
        try:
            whole_files.make_folder(folder.parent, folder.name)
            self._file = _File(folder / "arena.log")
        except OSError as error:
            raise ArenaError(
                f"{folder}: cannot be written: {error.strerror}; move it away"
            ) from error
        self._lines: list[_Lines] = []
        self._root = logging.getLogger()
        self._former_level = self._root.level
        self._former_handlers = self._root.handlers[:]  # those of a notebook or a test runner
        self._root.handlers[:] = [self._file]
        self._root.setLevel(logging.INFO)
        self.renew()  # now, so that a machine that allows no pipe is refused before it gets work

    @property
    def failure(self) -> str:
        """The reason why lines are missing in the log; empty if no line is missing."""
        return self._file.failure

    def renew(self) -> None:
        """Make a pipe for the lines of the worker that is forked next."""
        global _of_next_worker
        if not system.LINUX:
            return
        self._end_lines()  # otherwise the next worker would keep the pipes of earlier workers open
        try:
            _of_next_worker = _Lines("lines", self._file)
        except OSError as error:  # a queue needs a semaphore, and Linux keeps those in /dev/shm
            raise MachineError(
                f"/dev/shm: no semaphore can be made: {error.strerror}; "  # noqa: S108
                "it must be a folder that can be written"
            ) from error
        self._lines.append(_of_next_worker)

    def close(self) -> None:
        """Write the lines that are still under way, and restore the root logger.

        All workers must have ended before.
        """
        self._root.handlers[:] = self._former_handlers
        self._root.setLevel(self._former_level)
        self._end_lines()
        for lines in self._lines:
            lines.wait()
        self._file.close()

    def _end_lines(self) -> None:
        for lines in self._lines:
            lines.end()


_of_next_worker: _Lines | None = None


def file_of_workers() -> Path | None:
    """Return the log of this process, if its workers append to the file themselves.

    They do so where they are no forks. Return None where they are, or where there is no log.
    """
    if system.LINUX:
        return None
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _File):
            return Path(handler.baseFilename)
    return None


def in_worker(file: Path | None) -> None:
    """Log to the file; as a worker that was forked just now, log to the main process."""
    if file is not None:
        logging.basicConfig(level=logging.INFO, handlers=[_File(file)])
    elif _of_next_worker is not None:
        logging.getLogger().handlers[:] = [_of_next_worker]
