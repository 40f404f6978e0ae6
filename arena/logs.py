"""The log of an event: one file that the main process and every referee process write to.

`multiprocessing-logging` carries a forked worker's lines to the file. It has three traps, guarded here: it refuses to
work when fork is not the *default* start method; a spawned worker's lines are lost (so workers are forked, see
workers.py); and a worker killed while it writes leaves its queue locked, so that whoever shares that queue hangs at
exit. So each restart gets a queue of its own, and nobody waits for an old one for long.
"""

import logging
import multiprocessing
import threading
from pathlib import Path

import multiprocessing_logging

FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"
PATIENCE = 1.0  # seconds for the last lines of a queue; its own close would wait for five


class Log:
    """The root logger's way into `folder/arena.log`, for this process and those that it forks."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if multiprocessing.get_start_method(allow_none=True) != "fork":
            multiprocessing.set_start_method("fork", force=True)
        self._root = logging.getLogger()
        self._level = self._root.level
        self._others = self._root.handlers[:]
        self._file = logging.FileHandler(folder / "arena.log", encoding="utf-8", errors="backslashreplace")
        self._file.setFormatter(logging.Formatter(FORMAT))
        self._queues: list[logging.Handler] = []
        self._root.handlers[:] = [self._file]  # what others installed (a notebook, a test runner) stays as it is
        self._root.setLevel(logging.INFO)
        self.renew()

    def renew(self) -> None:
        """A fresh queue for the workers that are forked from now on."""
        multiprocessing_logging.uninstall_mp_handler(self._root)
        multiprocessing_logging.install_mp_handler(self._root)
        self._queues += self._root.handlers

    def close(self) -> None:
        """Write what is still under way, and give the root logger back as it was."""
        self._root.handlers[:] = self._others
        self._root.setLevel(self._level)
        closing = [threading.Thread(target=queue.close, daemon=True) for queue in self._queues]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join(PATIENCE)
        for queue in self._queues:
            if isinstance(queue, multiprocessing_logging.MultiProcessingHandler):
                queue.queue.cancel_join_thread()  # nor at exit: a killed worker may have left it locked
        self._file.close()


def in_worker() -> None:
    """In a forked worker: never wait at exit for a queue that a killed neighbour may have left locked."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, multiprocessing_logging.MultiProcessingHandler):
            handler.queue.cancel_join_thread()
