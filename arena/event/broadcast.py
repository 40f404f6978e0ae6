"""Let another process watch a match that is under way: lanes write files beside the archive.

This module knows these files and what stands in them. It does not know who watches, and it decides
nothing about matches.
"""

# Theory of operation
#
# A watcher touches `.watched` every few seconds. A lane writes the turns of its match to
# `.live-LANE`: a line for the match, then a line for the turns that are new at each look. It
# removes the file when the match is over.
#
# What it costs. The referee calls `Broadcast` after every turn, as it calls any observer, and
# nearly always that takes one look at the clock. Each LOOK_S the lane looks whether somebody
# watches (2 us), and if so it writes the new turns (15 us). In a match that is shorter than LOOK_S
# it never looks. The lane waits for no answer, so a watcher cannot delay a referee. After
# MOST_BYTES the lane writes no more of a match.
#
# What was rejected. A socket to the server: it needs no file, but a lane would have to find the
# socket, connect again after each restart, and keep what did not fit. The address of a socket also
# has 108 bytes at most, and the paths of many workspaces are longer. The file that `arena status`
# reads: the main process writes it once a second and has no turns, so it would have to ask its
# lanes. Records only: a match of an hour would be seen only when it is over.
#
# What is not written. Seeds and keys, remarks, refused answers: the author of a bot may be a
# watcher. A match in which a role sees less than everything is not written either: it may be
# watched when it is over. The names of bots are written, also on a board in disguise: a bot in the
# sandbox cannot watch, and no bot that plays in disguise is a remote bot.

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from pydantic import TypeAdapter

from arena import shared_folders, whole_files
from arena.match.referee import Referee
from arena.values import Turn

WATCHED_FILE = ".watched"
LIVE_FILE = ".live-"
LOOK_S = 0.05
"""The time between two looks of a lane."""
WATCHED_S = 10.0
"""The time after `watch` for which a lane goes on writing."""
MOST_BYTES = 1_000_000
"""The most bytes that are written of a match."""


@dataclass(frozen=True, kw_only=True)
class MatchHead:
    """A match under way, without its seed and key, which fix all chance."""

    id: str
    game: str
    board: str
    rules: str
    repeat: int
    sampled: str
    seats: tuple[tuple[str, str], ...]
    """Each role with the name of its bot, in order of play."""


_heads = TypeAdapter(MatchHead)
_turns = TypeAdapter(tuple[Turn, ...])


class Broadcast:
    """The observer of one match in a lane: it writes the turns while somebody watches."""

    def __init__(self, folder: Path, lane: str) -> None:
        self._watched = str(folder / WATCHED_FILE)
        self._path = live_file(folder, lane)
        self._next_look = time.monotonic() + LOOK_S
        self._file: int | None = None
        self._turns = 0
        """The number of turns that were written."""
        self._bytes = 0
        """The number of bytes that were written."""

    def __call__(self, referee: Referee) -> None:
        """Write the turns that are new, if a look is due and somebody watches."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_S
        if referee.game.open and self._bytes < MOST_BYTES and _is_watched(self._watched):
            try:
                self._write(referee)
            except OSError:  # the watchers lose this match, and the referee loses nothing
                self._bytes = MOST_BYTES

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            os.close(self._file)
            with contextlib.suppress(OSError):
                whole_files.remove(self._path)

    def _write(self, referee: Referee) -> None:
        """Write the new turns, and before the first of them the line of the match."""
        if self._file is None:
            match = referee.match
            values = {field.name: getattr(match, field.name) for field in fields(MatchHead)}
            values["seats"] = [(seat.role, seat.bot.name) for seat in match.seats]
            head = _line(values)
            with whole_files.replacing(self._path, whole_files.PRIVATE, synced=False) as file:
                file.write(head)
            self._file = whole_files.open_to_append(self._path)

        new_turns: list[Turn] = []
        for turn in referee.turns[self._turns :]:
            new_turns.append(
                Turn(
                    turn.number,
                    turn.role,
                    turn.move,
                    turn.by,
                    wall=turn.wall,
                    digest=turn.digest,
                )
            )
        if not new_turns:
            return
        self._turns += len(new_turns)
        line = _line(new_turns)
        self._bytes += len(line)
        written = os.write(self._file, line)
        if written < len(line):  # the disk is full, and nothing may follow half a line
            self._bytes = MOST_BYTES


@contextlib.contextmanager
def broadcast(folder: Path, lane: str) -> Iterator[Broadcast]:
    """Yield the observer of a match, and remove its file at the end."""
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
    """Return the match that a lane plays, and its turns so far.

    Return None if there is no file, or a file that cannot be read.
    """
    if os.sep in lane:
        return None
    path = live_file(folder, lane)
    turns: list[Turn] = []
    try:
        content = shared_folders.read(path, 2 * MOST_BYTES)
        lines = content.split(b"\n")
        lines.pop()  # the bytes behind the last line break are half a line
        if not lines:
            return None
        head = _heads.validate_json(lines[0])
        for line in lines[1:]:
            turns.extend(_turns.validate_json(line))
    except (OSError, ValueError):  # pydantic raises a ValueError, too
        return None
    return head, tuple(turns)


def _is_watched(file: str) -> bool:
    """Return whether somebody touched the file a moment ago."""
    try:
        touched = os.lstat(file).st_mtime
    except OSError:
        return False
    return abs(time.time() - touched) < WATCHED_S


def _line(value: object) -> bytes:
    text = json.dumps(value, separators=(",", ":"))
    return text.encode() + b"\n"
