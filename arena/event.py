"""The values of an event: what is to be played, and what was. The words that schedules and standings share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from arena.game import Role
from arena.match import Bot, Conditions, Ending, Match, Record, Seat, digest_of, plain

_plain = lru_cache(plain)  # the conditions of an event are asked for once a match


@dataclass(frozen=True, kw_only=True)
class Board:
    """A game on a named board, as a schedule needs it."""

    game: str
    name: str
    rules: str
    """Path of the rules file."""
    digest: str
    """Hash of the board's parameters and of every rules file that was loaded for it."""
    roles: tuple[Role, ...]
    sides: tuple[tuple[Role, ...], ...]

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Event:
    """Everything that one tournament.toml asks for."""

    name: str
    seed: int
    boards: tuple[Board, ...]
    bots: tuple[Bot, ...]
    """In order of name."""
    schedule: str = "round_robin"
    repeats: int = 1
    seating: str = "sides"
    """`sides`: one bot takes all roles of a side; `distinct`: every role has a bot of its own."""
    conditions: Conditions = Conditions()
    rating: str = "bradley_terry"
    """What decides the rank; no match hangs on it, nor on the next."""
    tie_breaks: tuple[str, ...] = ()
    """What places bots of equal rating and points, in this order."""

    def match(self, board: Board, seating: tuple[Bot, ...], repeat: int) -> Match:
        """The match of these bots, in the board's order of roles.

        Every seating of the same bots on the same board and repeat has the same seed: legs differ in roles only.
        """
        names = sorted({bot.name for bot in seating})
        seed = int(
            digest_of("seed", self.seed, board.label, names, repeat, length=12), 16
        )  # 48 bits: exact also in JavaScript and in spreadsheets
        key = digest_of(
            board.label,
            board.digest,
            [(role, bot.name, bot.digest) for role, bot in zip(board.roles, seating, strict=True)],
            _plain(self.conditions),
            self.seed,
            repeat,
        )
        return Match(
            id=key,
            game=board.game,
            board=board.name,
            rules=board.rules,
            seats=tuple(Seat(role, bot) for role, bot in zip(board.roles, seating, strict=True)),
            repeat=repeat,
            seed=seed,
            conditions=self.conditions,
        )


@dataclass(frozen=True, kw_only=True)
class Failing:
    """How often a bot's seats failed in one way, with one of those matches as an example."""

    bot: str
    ending: Ending
    times: int
    match: str
    """Its id."""
    words: str
    """What was expected there and what came."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """What standings need of a finished match; a Record without its transcript."""

    id: str
    game: str
    board: str
    repeat: int
    seed: int
    seats: Mapping[Role, str]
    """The name of each role's bot, in order of play."""
    scores: Mapping[Role, int]
    reason: str
    endings: Mapping[Role, Ending]
    """Only of the seats at fault."""
    sides: tuple[tuple[Role, ...], ...]
    """The roles that win together."""
    turns: int
    """How many turns were played."""

    @classmethod
    def of(cls, record: Record) -> "Played":
        """What standings need of a record."""
        match, verdict = record.match, record.verdict
        return cls(
            id=match.id,
            game=match.game,
            board=match.board,
            repeat=match.repeat,
            seed=match.seed,
            seats={seat.role: seat.bot.name for seat in match.seats},
            scores=verdict.scores,
            reason=verdict.reason,
            endings={fault.role: fault.ending for fault in reversed(verdict.faults)},  # a role's first fault counts
            sides=record.sides,
            turns=max((turn.number for turn in record.turns), default=0),
        )

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.board}"
