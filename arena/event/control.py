"""Let other processes see a run and stop it, by two small files beside the archive.

They are `.progress.json` and `.halt`. This module does not know the command line, and it decides
nothing about matches.
"""

# Theory of operation
#
# A run is known by the token in its lock file, which is drawn anew each time
# (results/archive/database.py). Both files here name the token of the run that they are about, so
# that neither ever applies to another run.
#
# Why a file asks for the end, and not a signal. By the time the signal arrives, the pid may belong
# to a stranger, or to a process without a handler yet or no longer, which the signal would kill. A
# pid also means nothing in another namespace of processes or on another machine that has the folder
# mounted. A request in a file has none of these problems: a run that has ended never reads it, and
# the next run has another token.
#
# The run writes its progress about once a second, by a rename, so that a reader never sees half of
# it. It is not synced: after a power cut there is no run to describe. The file stays when the run
# ends, and has its last figures.

import contextlib
import json
import logging
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from arena import shared_folders, whole_files

PROGRESS_FILE = ".progress.json"
HALT_FILE = ".halt"
PUBLISH_S = 1.0
"""The time between two writings of the progress."""
LOOK_S = 0.1
"""The time between two looks for a request."""
MOST_BYTES = 10_000_000
"""A progress file is never as large: a lane is described in some 300 bytes."""


@dataclass(frozen=True, kw_only=True)
class LaneStatus:
    """The present work of a lane, which is a referee process."""

    lane: str
    machine: str
    played: int
    """Matches that it has finished in this run."""
    match: str = ""
    """The id of the match that it plays; empty when it has none."""
    board: str = ""
    bots: tuple[str, ...] = ()
    """The bots of the match, in the order of their roles."""
    since: str = ""
    """UTC time at which it was given the match, ISO 8601."""
    state: str = ""
    """Why its machine plays nothing now, such as `does not answer`; empty when it plays."""


@dataclass(frozen=True, kw_only=True)
class RunState:
    """The progress of a run at one moment."""

    token: str
    """The token of the run in its lock file."""
    pid: int
    machine: str
    begun: str
    """UTC time at which the run began, ISO 8601."""
    written: str
    """UTC time of these figures."""
    seconds: float
    planned: int
    """Exact when `complete`; until then a bound where results decide the number of matches."""
    finished: int
    """Matches of the plan that are stored."""
    played: int
    """Those of them that this run has played."""
    complete: bool = False
    """True when the run has ended with all matches stored."""
    halting: bool = False
    """True when it was asked to stop, and begins no more matches."""
    lanes: tuple[LaneStatus, ...] = ()
    waits: tuple[str, ...] = ()
    """For whom its matches wait, a sentence each, such as a provider that is away."""

    @property
    def seconds_left(self) -> float | None:
        """The expected time from `written` to the end of the event, at the rate of this run.

        None while this run has played no match.
        """
        if self.complete:
            return 0.0
        if not self.played:
            return None
        remaining = max(0, self.planned - self.finished)
        return self.seconds / self.played * remaining


RunFigures: TypeAlias = tuple[int, int, int, Sequence[LaneStatus], Sequence[str]]
_states = TypeAdapter(RunState)


class Control:
    """The two files of one run, in the process that runs it."""

    def __init__(self, folder: Path, token: str) -> None:
        self._folder = folder
        self._token = token
        self._begun = utc_now()
        self._since = time.monotonic()
        self._next_publication = 0.0
        self._next_look = 0.0
        self._has_warned = False
        self.halt_requested = False
        """True once another process has asked for the end."""
        # Somebody may have asked since this run took the lock. Any other request was for an earlier
        # run.
        if not self._is_asked():
            self.close()

    def look(self, describe: Callable[[], RunFigures]) -> None:
        """Take note of a request and publish the progress, if a look is due.

        The run calls this all the time. `describe` returns how many matches are planned, finished,
        and played in this run, the lanes, and for whom matches wait.
        """
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_S
        if not self.halt_requested and self._is_asked():
            self.halt_requested = True
            self._next_publication = 0.0  # the process that asked waits for this
            logging.warning("asked to stop: no more matches are begun")
        if now >= self._next_publication:
            planned, finished, played, lanes, waits = describe()
            self.publish(planned, finished, played, lanes, waits)

    def publish(
        self,
        planned: int,
        finished: int,
        played: int,
        lanes: Sequence[LaneStatus] = (),
        waits: Sequence[str] = (),
        *,
        complete: bool = False,
    ) -> None:
        """Write the progress now.

        A folder that cannot be written is a warning in the log, and harms no match.
        """
        self._next_publication = time.monotonic() + PUBLISH_S
        state = RunState(
            token=self._token,
            pid=os.getpid(),
            machine=platform.node(),
            begun=self._begun,
            written=utc_now(),
            seconds=time.monotonic() - self._since,
            planned=planned,
            finished=finished,
            played=played,
            complete=complete,
            halting=self.halt_requested,
            lanes=tuple(lanes),
            waits=tuple(waits),
        )
        text = json.dumps(asdict(state))
        path = self._folder / PROGRESS_FILE
        try:
            with whole_files.replacing(path, synced=False) as file:
                file.write(text.encode())
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                logging.warning("%s cannot be written: %s", path, error.strerror)

    def close(self) -> None:
        """Remove a request, which is fulfilled or too late."""
        with contextlib.suppress(OSError):
            whole_files.remove(self._folder / HALT_FILE)

    def _is_asked(self) -> bool:
        """Return whether there is a request for this run."""
        try:
            content = shared_folders.read(self._folder / HALT_FILE)
            token = content.decode("ascii")
        except (OSError, ValueError):
            return False
        return token.strip() == self._token


def request_halt(folder: Path, token: str) -> None:
    """Ask the run with this token to finish the matches under way, and to end.

    OSError if the folder cannot be written.
    """
    with whole_files.replacing(folder / HALT_FILE, synced=False) as file:
        file.write(f"{token}\n".encode())


def last_state(folder: Path) -> RunState | None:
    """Return what the last run in this folder has published.

    Return None if there is no file, or a file that cannot be read.
    """
    try:
        content = shared_folders.read(folder / PROGRESS_FILE, MOST_BYTES)
        return _states.validate_json(content)
    except (OSError, ValidationError):
        return None


def utc_now() -> str:
    """Return the UTC time as ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
