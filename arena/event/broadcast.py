"""How another process watches a match that is under way: by files beside the archive, which lanes write when asked.

It knows these files and what stands in them. It does not know who watches, and it decides nothing
about matches.
"""

# Theory of operation
#
# Whoever watches touches `.watched` every few seconds. A lane writes the turns of its match to
# `.live-LANE`: a line for the match, then a line for the turns that are new at each look. It
# removes the file when the match is over.
#
# What it costs. The referee calls `Broadcast` after every turn, as it calls any observer, and
# nearly always that is one look at the clock. Each LOOK_S it looks whether somebody watches (2 us),
# and writes what is new if so (15 us). A match that is shorter than LOOK_S is never looked at.
# Nobody answers the lane and it waits for nobody, so a watcher cannot delay a referee. After
# MOST_BYTES a match is written no further.
#
# What was rejected. A socket to the server: it saves the file, but a lane would have to find it,
# connect again after each restart, and keep what did not fit; and its address has 108 bytes at
# most, but the paths of many workspaces are longer. The file that `arena status` reads: the main
# process writes it once a second and has no turns; it would have to ask its lanes. Records only: a
# match of an hour would be seen when it is over.
#
# What is not written. Seeds and keys, remarks, refused answers: a bot's author may watch, too. And
# no match in which a role sees less than everything: it may be watched when it is over. The names
# of bots are written, also on a board in disguise: a bot in the sandbox cannot watch, and no bot
# that plays in disguise is a remote one.

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from arena import shared_folders, whole_files
from arena.match.referee import Referee
from arena.values import Turn

WATCHED_FILE, LIVE_FILE = ".watched", ".live-"
LOOK_S = 0.05  # the time between two looks of a lane
WATCHED_S = 10.0  # so long after `watch` a lane goes on writing
MOST_BYTES = 1_000_000  # of a match


@dataclass(frozen=True, kw_only=True)
class MatchHead:
    """A match under way, without what fixes its chance."""

    id: str
    game: str
    board: str
    rules: str
    repeat: int
    sampled: str
    seats: tuple[tuple[str, str], ...]
    """Each role with the name of its bot, in order of play."""


_heads, _turns = TypeAdapter(MatchHead), TypeAdapter(tuple[Turn, ...])


class Broadcast:
    """The observer of one match in a lane: writes its turns while somebody watches."""

    def __init__(self, folder: Path, lane: str) -> None:
        self._watched, self._path = str(folder / WATCHED_FILE), live_file(folder, lane)
        self._next_look = time.monotonic() + LOOK_S
        self._file: int | None = None
        self._turns = self._bytes = 0
        """How many turns and bytes were written."""

    def __call__(self, referee: Referee) -> None:
        """Write the turns that are new, if a look is due and somebody watches."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_S
        if referee.game.open and self._bytes < MOST_BYTES and _is_watched(self._watched):
            try:
                self._write(referee)
            except OSError:  # it costs the watchers their match, and the referee nothing
                self._bytes = MOST_BYTES

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            os.close(self._file)
            with contextlib.suppress(OSError):
                whole_files.remove(self._path)

    def _write(self, referee: Referee) -> None:
        if self._file is None:
            with whole_files.replacing(self._path, whole_files.PRIVATE, synced=False) as file:
                match = referee.match
                seats = tuple((seat.role, seat.bot.name) for seat in match.seats)
                values = {field.name: getattr(match, field.name) for field in fields(MatchHead)}
                file.write(_line(values | {"seats": seats}))
            self._file = whole_files.open_to_append(self._path)
        new = [
            Turn(turn.number, turn.role, turn.move, turn.by, wall=turn.wall, digest=turn.digest)
            for turn in referee.turns[self._turns :]
        ]
        self._turns += len(new)
        if new:
            line = _line(new)
            self._bytes += len(line)
            if os.write(self._file, line) < len(
                line
            ):  # the disk is full, and half a line is no line
                self._bytes = MOST_BYTES


@contextlib.contextmanager
def broadcast(folder: Path, lane: str) -> Iterator[Broadcast]:
    """Yield the observer of a match; its file is gone at the end of the `with`."""
    observer = Broadcast(folder, lane)
    try:
        yield observer
    finally:
        observer.close()


def live_file(folder: Path, lane: str) -> Path:
    """Return the file that a lane writes to."""
    return folder / f"{LIVE_FILE}{lane}"


def watch(folder: Path) -> None:
    """Ask the lanes of a run to write for a while; OSError if the folder cannot be written."""
    path = folder / WATCHED_FILE
    whole_files.make_empty(path, whole_files.PRIVATE)
    os.utime(path, follow_symlinks=False)


def turns_of(folder: Path, lane: str) -> tuple[MatchHead, tuple[Turn, ...]] | None:
    """Return the match that a lane plays, and its turns so far; None if nothing readable is there."""
    if os.sep in lane:
        return None
    try:
        # The bytes behind the last line break are half a line.
        head, *lines = shared_folders.read(live_file(folder, lane), 2 * MOST_BYTES).split(b"\n")[
            :-1
        ]
        return _heads.validate_json(head), tuple(
            turn for line in lines for turn in _turns.validate_json(line)
        )
    except (OSError, ValueError, ValidationError):
        return None


def _is_watched(file: str) -> bool:
    """Return whether somebody touched the file a moment ago."""
    try:
        return abs(time.time() - os.lstat(file).st_mtime) < WATCHED_S
    except OSError:
        return False


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
