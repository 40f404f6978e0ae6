"""The values of play: who meets whom under what conditions, and what came of it.

Plain values, written once and never changed; they cross process borders and are what the archive stores. They know no
rules, no process and no file.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import NamedTuple, TypeVar

from arena.clock import Spent, TimeControl
from arena.game import Move, Role

Number = TypeVar("Number", int, float)


class Ending(StrEnum):
    """How a seat can fail."""

    ILLEGAL_MOVE = "illegal_move"
    """The line is not one of the legal moves."""
    GARBLED = "garbled"
    """The line is not UTF-8, holds control characters, or is too long."""
    TIMEOUT = "timeout"
    """No answer by the deadline."""
    CRASHED = "crashed"
    """The output ended before an answer."""
    LIMIT_EXCEEDED = "limit_exceeded"
    """The bot used more memory, CPU, threads, scratch or output than it may, as arena itself saw."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one bot process may use in a match. None = no limit."""

    memory: int | None = 256_000_000
    """Bytes of data, and of resident memory a quarter more."""
    cpu: float | None = 60.0
    """Seconds of CPU."""
    processes: int | None = 1
    """Processes at once; threads are free."""
    scratch: int | None = 16_000_000
    """Bytes in its scratch folder."""
    files: int | None = 1000
    """Files and folders in its scratch folder."""
    open_files: int | None = 256
    """Descriptors open at once; Node opens more than 64 before its first line."""
    output: int | None = 4_000_000
    """Bytes on stdout in one turn."""
    stderr: int | None = 64_000_000
    """Bytes on stderr in a match; of what is thrown away no bot needs more."""

    def tightened(self, other: "Limits | None") -> "Limits":
        """The lower of each."""
        if other is None:
            return self
        return Limits(**{one.name: _lower(getattr(self, one.name), getattr(other, one.name)) for one in fields(self)})


@dataclass(frozen=True, kw_only=True)
class Bot:
    """A program that plays, as it is submitted."""

    name: str
    command: tuple[str, ...]
    """The words that start it; they run in the bot's folder."""
    digest: str
    """Hash of the command and of path, mode and bytes of each of its files."""
    files: str | None = None
    """Where its files are: the path of a bare file or of a folder; None for a command without files of its own."""
    games: tuple[str, ...] = ()
    """The games or `game/board`s that it plays; `()` = all."""
    roles: tuple[Role, ...] = ()
    """The roles that it plays; `()` = all."""
    limits: Limits | None = None
    """Limits of its own, where they are tighter than the event's."""
    warm: bool = True
    """Whether it may be forked from an interpreter that is already started."""
    threads: int = 1
    """How many of its threads compute at once; with more than one it is not kept on one core."""

    def plays(self, game: str, board: str, role: Role) -> bool:
        """Whether the bot takes this role on this board."""
        known = not self.games or game in self.games or f"{game}/{board}" in self.games
        return known and (not self.roles or role in self.roles)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """All that can change how a match goes, apart from rules, bots and seed."""

    time: TimeControl = TimeControl()
    limits: Limits = Limits()
    strikes: int = 0
    """How many illegal or garbled answers a seat is forgiven in a match."""
    sandbox: str = "auto"
    """The level of confinement; `auto` is resolved before planning."""
    freeze: bool = True
    """Whether a bot is stopped while it is not asked."""
    warm: bool = True
    """Whether Python bots may be forked from an interpreter that is already started."""
    preload: tuple[str, ...] = ()
    """Modules that this interpreter has imported beforehand."""
    keep: bool = False
    """Whether a bot that says `ready again` stays for its next match."""
    protocol: int = 1
    """Version of the line protocol."""


@dataclass(frozen=True)
class Seat:
    """A role given to a bot."""

    role: Role
    bot: Bot


@dataclass(frozen=True, kw_only=True)
class Match:
    """One playing of a game, planned: everything needed to play it, and to play it again."""

    id: str
    """12 hex digits; the same for the same rules, board, bots, conditions, event seed and repeat."""
    game: str
    board: str
    rules: str
    """Path of the rules file on this machine; not part of the id."""
    seats: tuple[Seat, ...]
    """One per role, in order of play."""
    repeat: int
    """0, 1, ...: which of the playings of this pairing."""
    seed: int
    """Fixes every draw of the referee."""
    conditions: Conditions = Conditions()

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.board}"


class Turn(NamedTuple):
    """One role's move in one turn; simultaneous moves share a number. A tuple, because one is made for every answer."""

    number: int
    """1, 2, ..."""
    role: Role
    move: Move
    by: str = "bot"
    """Who chose it: `bot`, `strike` (a forgiven answer was replaced), `substitute` (the seat is out) or `chance`."""
    said: str | None = None
    """The refused text, when `by` is `strike`."""
    wall: float = 0.0
    """Seconds from `go` to the moment at which the answer was read."""
    cpu: float = 0.0
    """Seconds of CPU that the bot's process used meanwhile."""
    waited: float = 0.0
    """Seconds that the bot's threads were ready but had no core."""
    late: float = 0.0
    """Seconds by which the referee looked later than it wanted."""
    remarks: tuple[str, ...] = ()
    """Its lines that began with `#`, without the `#`."""
    digest: str = ""
    """16 hex digits over the facts of the state after this turn."""

    @property
    def spent(self) -> Spent:
        """What the answer took."""
        return Spent(self.wall, self.cpu, self.waited, self.late)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What a seat did wrong, so that it is out."""

    role: Role
    ending: Ending
    turn: int
    """The turn it happened in; 0 = before the first."""
    words: str
    """What was expected and what came."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How a match ended."""

    scores: Mapping[Role, int]
    reason: str
    """The rules' own word, or `forfeit`."""
    faults: tuple[Fault, ...] = ()
    """In the order they happened; `()` = finished by the rules."""

    def ending(self, role: Role) -> Ending | None:
        """How this role's seat failed, or None."""
        return next((fault.ending for fault in self.faults if fault.role == role), None)


@dataclass(frozen=True, kw_only=True)
class SeatReport:
    """What became of one seat's process."""

    role: Role
    bot: str
    digest: str
    warm: bool = False
    """Whether it was forked from a running interpreter."""
    confined: str = ""
    """The level that it was confined at, and as whom; empty when it never ran."""
    ready: float | None = None
    """Seconds from start to `ready`; None if it never came."""
    before: int = 0
    """How many matches this very process had played before; more than 0 only where `Conditions.keep` allows it."""
    exit: str = ""
    """Exit status in words: `exit 0`, `signal SIGKILL`, `stays for its next match`; empty when it never ran."""
    killed: bool = False
    """True when arena ended it, as it does with every bot that does not leave by itself after `end`."""
    memory: int = 0
    """Peak resident memory in bytes."""
    cpu: float = 0.0
    """Seconds of CPU, children included."""
    warnings: tuple[str, ...] = ()
    """What was no fault but should be known: lines out of turn, banners before `ready`."""
    stderr: str = ""
    """The end of its stderr."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A match that was played: the only source of truth for results, replays and reruns."""

    match: Match
    turns: tuple[Turn, ...]
    verdict: Verdict
    sides: tuple[tuple[Role, ...], ...]
    """The roles that win together, by the rules."""
    seats: tuple[SeatReport, ...]
    started: str
    """UTC time, ISO 8601."""
    seconds: float = 0.0
    """Wall time of the whole match."""


@dataclass(frozen=True, kw_only=True)
class Abort:
    """A match that the arena itself failed: no points, and still due."""

    match: str
    """The match's id."""
    cause: str
    attempt: int
    """1, 2, ..."""


def _lower(one: Number | None, other: Number | None) -> Number | None:
    return min((value for value in (one, other) if value is not None), default=None)


def digest_of(*parts: object, length: int = 12) -> str:
    """A short hash of plain values (strings, numbers, tuples, mappings), the same on every machine and run."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def plain(value: object) -> object:
    """A value of this module as what JSON can hold: dicts, lists, strings and numbers."""
    return asdict(value)  # type: ignore[call-overload]
