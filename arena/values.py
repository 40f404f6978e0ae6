"""Plain values, written once and never changed: a match, its record, an event, its plan.

They cross process borders and are what the archive stores. They know no rules, no process and no
file.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from arena import identity
from arena.clock import TimeControl, TimeUsed
from arena.game import Move, Role

# What extras add to matches and bots has its values here, and not in the extra: calls of a language
# model, a bot on its author's machine, a board in disguise. Archives and records have these values,
# and whoever has not that extra must still read, verify and show them.

DISGUISED = "~disguised"
"""The end of the name of a board on which bots that need a language model see other words."""

DEFAULT_MODEL = "default"
"""The alias of the model that bots ask if they name none: [model] or [models.default]."""
USUAL_LIMIT = "max_tokens"
MODERN_LIMIT = "max_completion_tokens"
"""The two fields by which providers limit the tokens of an answer; of a request that has the second
they refuse the first."""

IMPORTED = "imported"
"""What stands in place of a schedule, and of the path of rules, where matches were played without
arena, and only their results were imported."""


class Ending(StrEnum):
    """The ways in which a seat can fail."""

    ILLEGAL_MOVE = "illegal_move"
    """The line is not one of the legal moves."""
    GARBLED = "garbled"
    """The line is not UTF-8, holds control characters, or is too long."""
    TIMEOUT = "timeout"
    """No answer by the deadline."""
    CRASHED = "crashed"
    """The output ended before an answer."""
    LIMIT_EXCEEDED = "limit_exceeded"
    """The bot used more memory, CPU, threads, scratch or output than it may; arena itself measured
    it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one bot process may use in a match. None = no limit.

    Give a new field the metadata ADDED_LATER.
    """

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
    """Bytes on stderr in a match, of which only the end is recorded."""

    def tightened(self, other: "Limits | None") -> "Limits":
        """Return the lower of each limit."""
        if other is None:
            return self
        lower: dict[str, Any] = {}
        for column in fields(self):
            name = column.name
            own_limit = getattr(self, name)
            other_limit = getattr(other, name)
            known = [limit for limit in (own_limit, other_limit) if limit is not None]
            lower[name] = min(known, default=None)
        return Limits(**lower)


@dataclass(frozen=True, kw_only=True)
class Bot:
    """A program that plays, as it is submitted."""

    name: str
    command: tuple[str, ...]
    """Its argv; it runs in the bot's folder."""
    digest: str
    """Hash of the command and of path, mode and bytes of each of its files."""
    files: str | None = None
    """The path of its bare file or of its folder; None for a command without files of its own."""
    games: tuple[str, ...] = ()
    """The games or `game/board`s that it plays; `()` = all."""
    roles: tuple[Role, ...] = ()
    """The roles that it plays; `()` = all."""
    limits: Limits | None = None
    """Limits of its own, where they are tighter than the event's."""
    processes: int | None = None
    """How many processes the organiser allows it at once, in place of the event's limit; None = the
    event's limit."""
    warm: bool = True
    """True when it may be forked from an interpreter that is already started."""
    threads: int = 1
    """How many of its threads compute at once; with more than one it is not kept on one core."""
    display: str = ""
    """The name that tables and charts show, such as its author's; empty = `name`. It changes no
    match."""
    remote: str = ""
    """The socket by which a bot is asked that stays on its author's machine. Such a bot has no
    command. Empty = it is a program here."""
    model: bool = False
    """True when it cannot play without a language model; an event without one leaves it out."""
    model_alias: str = field(default="", metadata=identity.LATEST)
    """The alias of the language model that it asks; empty = the event's default model."""

    def plays(self, game: str, board: str, role: Role) -> bool:
        """Return whether the bot takes this role on this board."""
        label = f"{game}/{board.removesuffix(DISGUISED)}"
        plays_board = not self.games or game in self.games or label in self.games
        plays_role = not self.roles or role in self.roles
        return plays_board and plays_role


@dataclass(frozen=True, kw_only=True)
class ModelTerms:
    """What a seat may ask of a language model of the event in a match."""

    name: str
    """The model, as the provider calls it. An answer belongs to this name, whoever serves it."""
    calls: int = 100
    """Answers in a match."""
    move: int | None = 16_000
    """Tokens for each turn, before the bank is touched; those of the question count, too. None = no
    limit."""
    bank: int = 0
    """Tokens for the whole match: the sum of what turns may take beyond `move`; more than that
    later turns pay."""
    cost: float | None = None
    """The most that the calls of a match may cost, in the unit of the prices; None = no limit."""
    price_in: float = 0.0
    """The price of a million tokens of questions."""
    price_out: float = 0.0
    """The price of a million tokens of answers."""
    price_cached: float | None = field(default=None, metadata=identity.LATEST)
    """The price of a million tokens of questions that the provider has in a cache; None = that of
    others."""
    price_cache_write: float | None = field(default=None, metadata=identity.LATEST)
    """The same of tokens that the provider writes to a cache."""
    alias: str = field(default=DEFAULT_MODEL, metadata=identity.LATEST)
    """The name of the model in tournament.toml: `gpt` of [models.gpt]."""
    request: str = field(default="", metadata=identity.LATEST)
    """The fields that the organiser adds to each request, as a JSON object; empty = none."""

    def __post_init__(self) -> None:
        """Raise ValueError for fields that are no JSON object: a stranger may have written them."""
        try:
            values = self.fields
            limits = (values.get(USUAL_LIMIT, 1), values.get(MODERN_LIMIT, 1))
        except (ValueError, AttributeError, RecursionError) as error:
            raise ValueError("the fields of requests are no JSON object") from error
        for limit in limits:
            if type(limit) is not int or limit < 1:
                raise ValueError("no request to a language model has such a limit of tokens")

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that the organiser adds to each request."""
        if not self.request:
            return {}
        added: dict[str, Any] = json.loads(self.request)
        return added

    @property
    def limit_field(self) -> str:
        """The field of a request that has the most tokens of its answer."""
        if MODERN_LIMIT in self.fields:
            return MODERN_LIMIT
        return USUAL_LIMIT

    @property
    def most_tokens(self) -> int | None:
        """The most tokens of an answer by the organiser's fields; None = they have no limit."""
        most: int | None = self.fields.get(self.limit_field)
        return most

    @property
    def prices_in(self) -> tuple[float, ...]:
        """The prices that a token of a question may have, each of a million tokens."""
        prices = [self.price_in]
        for price in (self.price_cached, self.price_cache_write):
            if price is not None:
                prices.append(price)
        return tuple(prices)

    def least_price(self, tokens_in: int) -> float:
        """Return the least that a question of so many tokens costs."""
        return tokens_in * min(self.prices_in) / 1e6

    def most_price(self, tokens_in: int, tokens_out: int) -> float:
        """Return the most that these tokens cost, whatever the provider has in its cache."""
        price_in = tokens_in * max(self.prices_in)
        price_out = tokens_out * self.price_out
        return (price_in + price_out) / 1e6

    def cost_of(self, answer: "ModelAnswer") -> float:
        """Return what an answer cost: the provider's own price, or that of its tokens."""
        if answer.cost is not None:
            return answer.cost
        others = answer.tokens_in
        price_of_cached = 0.0
        if self.price_cached is not None:
            others -= answer.cached
            price_of_cached += answer.cached * self.price_cached
        if self.price_cache_write is not None:
            others -= answer.cache_written
            price_of_cached += answer.cache_written * self.price_cache_write
        price_of_question = others * self.price_in + price_of_cached
        total = price_of_question + answer.tokens_out * self.price_out
        return total / 1e6


@dataclass(frozen=True, kw_only=True)
class RemoteSeats:
    """The conditions of bots that stay on their authors' machines."""

    time: TimeControl = TimeControl(
        start=30.0,
        move=10.0,
        bank=60.0,
        margin=0.5,
    )
    """Time on the wall while the connection lasts, the way through the network included."""
    grace: float = 30.0
    """Seconds for which the connection may be lost in a match, added up; after that the answer is
    too late."""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """All that can change how a match goes, apart from rules, bots and seed."""

    time: TimeControl = TimeControl()
    limits: Limits = Limits()
    strikes: int = 0
    """How many illegal or garbled answers a seat is forgiven in a match."""
    sandbox: str = "auto"
    """The level of confinement; `auto` is resolved before planning."""
    syscalls: tuple[str, ...] = field(default=(), metadata=identity.ADDED_LATER)
    """System calls that bots may make beside those of sandbox/call_policy.py."""
    freeze: bool = True
    """True when a bot is stopped while others think."""
    warm: bool = True
    """True when Python bots may be forked from an interpreter that is already started."""
    preload: tuple[str, ...] = ()
    """Modules that this interpreter has imported beforehand."""
    keep: bool = False
    """True when a bot that says `ready again` stays for its next match."""
    protocol: int = 1
    """Version of the line protocol."""
    model: ModelTerms | None = field(default=None, metadata=identity.ADDED_LATER)
    """The model that bots ask if they name none; None: no model answers them."""
    models: tuple[ModelTerms, ...] = field(default=(), metadata=identity.LATEST)
    """The models that bots ask by their aliases."""
    remote: RemoteSeats | None = field(default=None, metadata=identity.ADDED_LATER)
    """None: no bot of the event is remote."""

    def limits_of(self, bot: Bot) -> Limits:
        """Return the limits of a bot: the event's, with its own processes.

        A lower limit of its bot.toml replaces that of the event.
        """
        limits = self.limits
        if bot.processes is not None:
            limits = replace(limits, processes=bot.processes)
        return limits.tightened(bot.limits)

    @property
    def has_models(self) -> bool:
        """True when a language model answers in this event."""
        return bool(self.all_models)

    @property
    def all_models(self) -> tuple[ModelTerms, ...]:
        """The terms of all models, the default model first."""
        if self.model is None:
            return self.models
        return (self.model, *self.models)

    def model_of(self, bot: Bot) -> ModelTerms | None:
        """Return the terms of the model that a bot asks; None = nobody answers it."""
        if not bot.model_alias:
            return self.model
        for terms in self.models:
            if terms.alias == bot.model_alias:
                return terms
        return None

    def for_bots(self, bots: Iterable[Bot]) -> "Conditions":
        """Return the conditions of a match of these bots, without models that none of them asks.

        So a match keeps its id when another model changes. A bot that names no model may ask the
        default model, also if it never does.
        """
        if not self.models:
            return self
        aliases = {bot.model_alias for bot in bots}
        model = None
        if "" in aliases:
            model = self.model
        models = tuple(terms for terms in self.models if terms.alias in aliases)
        if model is self.model and models == self.models:
            return self
        return replace(self, model=model, models=models)

    def time_of(self, bot: Bot) -> TimeControl:
        """Return the time control of a bot."""
        if bot.remote and self.remote is not None:
            return self.remote.time
        return self.time

    def scaled(self, factor: float) -> "Conditions":
        """Return the conditions with a multiple of the time, for a machine of another speed.

        The limit of CPU time is such a time, too; a slower machine takes longer for the same work.
        """
        if factor == 1:
            return self
        limits = self.limits
        if limits.cpu is not None:
            limits = replace(limits, cpu=limits.cpu * factor)
        time = self.time.scaled(factor)
        return replace(self, time=time, limits=limits)


@dataclass(frozen=True)
class Seat:
    """A role given to a bot."""

    role: Role
    bot: Bot


OpeningMoves: TypeAlias = tuple[tuple[Role, Move], ...]
"""The moves of an opening, in the order in which they are played."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """The first moves of a match, which no bot chooses: sampled from a key, or listed in a file."""

    plies: int = 0
    """The number of turns that are sampled; games/openings.py says which turns count."""
    key: str = ""
    """32 hex digits from which openings are sampled; empty when they are listed. All matches of a
    pairing have the same key. The record reveals it, so that the match can be verified and rerun
    without the seed of the event."""
    number: int = 0
    """0, 1, ...: the openings before it, of the same key, lead to other states."""
    moves: OpeningMoves = ()
    """The moves that are listed."""


@dataclass(frozen=True, kw_only=True)
class Openings:
    """The openings of an event: sampled for each match, or listed for each board.

    None by default.
    """

    plies: int = 0
    listed: tuple[tuple[str, tuple[OpeningMoves, ...]], ...] = ()
    """The openings of a file, by the board's label."""

    def on(self, label: str) -> tuple[OpeningMoves, ...]:
        """Return the listed openings of a board."""
        for listed_label, openings in self.listed:
            if listed_label == label:
                return openings
        return ()


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match as planned: everything that is needed to play it, and to play it again."""

    id: str
    """12 hex digits; the same for the same rules, board, bots, conditions, event seed and
    repeat."""
    game: str
    board: str
    rules: str
    """Path of the rules file on this machine; not part of the id."""
    seats: tuple[Seat, ...]
    """One per role, in order of play."""
    repeat: int
    """0, 1, ...: the number of this match among those of the same pairing."""
    seed: int
    """The same for all legs of a pairing. Without a `key` it fixes all chance."""
    key: str = ""
    """32 hex digits that fix all chance in this match, and of no other; empty in an event whose
    seed is a number. The record reveals it, so that the match can be verified and rerun without the
    seed of the event."""
    opening: Opening | None = None
    """None: it begins at the start of the board."""
    sampled: str = ""
    """The parameters of a board that was sampled for the event, as a JSON object; empty on a board
    that has a name. The record has them, so that it can be replayed and verified without the
    generator."""
    conditions: Conditions = Conditions()

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.board}"

    @property
    def imported(self) -> bool:
        """True when only its result is known: nobody has its rules or its moves."""
        return self.rules == IMPORTED

    @property
    def entropy(self) -> str:
        """The text that all chance in this match comes from, and the seeds of its bots."""
        return self.key or str(self.seed)


class Turn(NamedTuple):
    """One role's move in one turn; simultaneous moves share a number.

    A tuple, because one is made for every answer.
    """

    number: int
    """1, 2, ..."""
    role: Role
    move: Move
    by: str = "bot"
    """The author of the move: `bot`, `strike` (a forgiven answer was replaced), `substitute` (the
    seat is out), `chance` or `opening` (the first moves of an event with openings, those of chance
    among them)."""
    rejected_text: str | None = None
    """The text that was refused, cleaned, when `by` is `strike`."""
    wall: float = 0.0
    """Seconds from `go` to the moment at which the answer was read."""
    cpu: float = 0.0
    """Seconds of CPU that the bot's process used since its last answer, also while it was not
    asked."""
    waited: float = 0.0
    """Seconds that the bot's threads were ready but had no core."""
    late: float = 0.0
    """Seconds by which the referee looked later than planned."""
    remarks: tuple[str, ...] = ()
    """The bot's lines that began with `#`, without the `#`."""
    digest: str = ""
    """16 hex digits over the facts of the state after this turn."""
    refused: Ending | None = None
    """The reason of the refusal, when `by` is `strike`: the cleaned `rejected_text` no longer shows
    it."""

    @property
    def spent(self) -> TimeUsed:
        """The time that the answer took."""
        return TimeUsed(self.wall, self.cpu, self.waited, self.late)


class ModelAnswer(NamedTuple):
    """What a language model said to one request."""

    text: str
    end: str = "stop"
    """`stop`: it was done; `length`: it was cut; `refused`: the model or its provider would not
    answer; `error`: the provider found the question too long."""
    tokens_in: int = 0
    tokens_out: int = 0
    """As the provider counted them; where it did not, or not credibly, as many as there can be at
    most."""
    reasoning: str = ""
    """What the model thought before its text, if the provider tells; the bot does not get it."""
    seconds: float = 0.0
    """The time until the answer was there. An answer from a tape has the time of its recording."""
    cached: int = 0
    """Those of `tokens_in` that the provider had in a cache."""
    thoughts: int = 0
    """Those of `tokens_out` that the model thought, if the provider counts them."""
    cost: float | None = None
    """The price of the call as the provider names it; None = it names none."""
    is_estimated: bool = False
    """Whether `tokens_in` or `tokens_out` is no figure of the provider."""
    cache_written: int = 0
    """Those of `tokens_in` that the provider wrote to a cache; `cached` has none of them."""


ANSWER_ENDS = {
    "length": "cut by its limit of tokens",
    "refused": "refused",
    "error": "not answered",
}
"""How an answer ended that is none, in words."""


class ModelCall(NamedTuple):
    """A request of a bot to the event's language model, and the answer that it got."""

    turn: int
    role: Role
    request: str
    """The request, as JSON."""
    answer: ModelAnswer
    key: str
    """32 hex digits: what the tape knows the answer by."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """The failure by which a seat is out of its match."""

    role: Role
    ending: Ending
    turn: int
    """The number of the turn; 0 = before the first."""
    words: str
    """A sentence for the bot's author: what was expected and what came."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The end of a match: scores, reason and faults."""

    scores: Mapping[Role, int]
    reason: str
    """The rules' own word, or `forfeit`."""
    faults: tuple[Fault, ...] = ()
    """In the order in which they happened; `()` = finished by the rules."""

    def ending(self, role: Role) -> Ending | None:
        """Return the ending of this role's seat when it is at fault, otherwise None."""
        for fault in self.faults:
            if fault.role == role:
                return fault.ending
        return None


@dataclass(frozen=True, kw_only=True)
class SeatReport:
    """The process of one seat: its start, its end, and what it used."""

    role: Role
    bot: str
    digest: str
    warm: bool = False
    """True when it was forked from a running interpreter."""
    confined: str = ""
    """Its level of confinement, its cgroup and its user; empty when it never ran."""
    ready: float | None = None
    """Seconds from start to `ready`; None if it never came."""
    before: int = 0
    """The number of matches that this process had played before; 0 unless `Conditions.keep` allows
    more."""
    exit: str = ""
    """Exit status as text: `exit 0`, `signal SIGKILL`, `stays for its next match`; empty when it
    never ran."""
    killed: bool = False
    """True when arena ended it, as it does with every bot that does not leave by itself after
    `end`."""
    memory: int = 0
    """Peak resident memory in bytes."""
    cpu: float = 0.0
    """Seconds of CPU, children included."""
    warnings: tuple[str, ...] = ()
    """Lines that answered nothing, which is no fault: before `ready`, before their question, after
    the last answer."""
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
    machine: str = ""
    """The machine of a cluster that played it; empty when the machine of the run did."""
    scale: float = 1.0
    """How many times the event's time its bots had, because this machine is slower or faster."""
    calls: tuple[ModelCall, ...] = ()
    """The calls of a language model, in order."""


@dataclass(frozen=True, kw_only=True)
class Abort:
    """A match in which arena itself failed: nobody has points for it, and it is still due."""

    match: str
    """The match's id."""
    cause: str
    attempt: int
    """1, 2, ..."""


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
    sampled: tuple[str, ...] = ()
    """The boards that were sampled under this name, each as a JSON object of its parameters; `()` =
    a single board."""

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.name}"

    @property
    def plain_label(self) -> str:
        """The label of the same board without a disguise."""
        return self.label.removesuffix(DISGUISED)

    @property
    def disguised(self) -> "Board":
        """The same board in disguise."""
        plain_name = self.name.removesuffix(DISGUISED)
        return replace(self, name=plain_name + DISGUISED)

    @property
    def variants(self) -> int:
        """The number of boards that have this name: a repeat of a pairing plays each of them."""
        return max(1, len(self.sampled))


@dataclass(frozen=True, kw_only=True)
class Event:
    """Everything that one tournament.toml asks for."""

    name: str
    seed: int | str
    """32 hex digits: a secret of the event, which nobody can guess. A number: anybody who guesses
    it can predict every draw, so it is for demos and tests."""
    boards: tuple[Board, ...]
    bots: tuple[Bot, ...]
    """In order of name."""
    schedule: str = "round_robin"
    repeats: int = 1
    seating: str = "sides"
    """`sides`: one bot takes all roles of a side; `distinct`: every role has a bot of its own."""
    rounds: int | None = None
    """Round robin: the number of rounds of a balanced partial one. Swiss: the number of rounds.
    Ladder: how many batches. None = as the schedule has it."""
    references: tuple[str, ...] = ()
    """Gauntlet: the names of the bots that all others play against."""
    seed_order: tuple[str, ...] = ()
    """Swiss, knockout and ladder: the names of the best seeds, best first; the others follow by
    lot."""
    max_matches: int | None = None
    """The number of matches after which the plan ends."""
    stop_after: float | None = None
    """Seconds after which a run begins no more matches; the only rule that does not end at the same
    match each time."""
    stop_when: str | None = None
    """`order is certain` or `best is certain`: the plan ends at the first look at which this
    holds."""
    confidence: float = 0.95
    """The chance that `stop_when` is right."""
    conditions: Conditions = Conditions()
    openings: Openings = Openings()
    rating: str = "bradley_terry"
    """Decides the rank; affects which matches are played only by `stop_when`."""
    prior: str = field(default="estimated", metadata=identity.ADDED_LATER)
    """`estimated`: ratings are drawn towards the average as far as the matches leave them open;
    `none`: the plain fit. Only ratings that are a fit have a prior."""
    tie_breaks: tuple[str, ...] = ()
    """Decide, in this order, the rank of bots of equal rating and points; do not affect which
    matches are played."""

    @property
    def has_prior(self) -> bool:
        """Whether ratings are drawn towards the average."""
        return self.prior != "none"

    def match(
        self,
        board: Board,
        seating: tuple[Bot, ...],
        repeat: int,
    ) -> Match:
        """Return the match of these bots, which are in the board's order of roles.

        Of a board with variants, match repeats 0 to `variants - 1` are the first repeat of the
        event, and so on.

        Every seating of the same bots on the same board and repeat has the same seed and the same
        opening, in disguise or not. Where the event's seed is a number, that seed fixes all chance,
        so that legs differ in roles only. Where it is a secret, every match has a key of its own:
        its record or a replay tells nothing of any other match, not even of its other legs, except
        for the opening that they share.
        """
        roles_and_bots = zip(board.roles, seating, strict=True)
        seats = tuple(Seat(role, bot) for role, bot in roles_and_bots)
        opening = self._opening(board, seating, repeat)
        conditions = self.conditions.for_bots(seating)
        sampled = ""
        digest = board.digest
        if board.sampled:
            sampled = board.sampled[repeat % len(board.sampled)]
            digest = identity.digest_of(board.digest, sampled)

        # The id contains all that makes the match (bots by digest, roles, repeat), so an edited bot
        # cannot use what its last version has seen.
        parts: list[object] = [
            board.label,
            digest,
            [identity_of(seat) for seat in seats],
            identity.plain(conditions),
            self.seed,
            repeat,
        ]
        if opening is not None:
            parts += [opening.plies, opening.moves]
        match_id = identity.digest_of(*parts)

        names = sorted({bot.name for bot in seating})
        seed_digest = identity.digest_of(
            "seed",
            self.seed,
            board.plain_label,
            names,
            repeat,
        )
        key = ""
        if isinstance(self.seed, str):
            key = identity.keyed(self.seed, match_id)
        return Match(
            id=match_id,
            game=board.game,
            board=board.name,
            rules=board.rules,
            seats=seats,
            repeat=repeat,
            # 48 bits: also JavaScript and spreadsheets have such a number exactly.
            seed=int(seed_digest, 16),
            key=key,
            opening=opening,
            sampled=sampled,
            conditions=conditions,
        )

    def repeats_on(self, board: Board, repeat: int) -> range:
        """Return the repeats of matches on a board that belong to a repeat of the event.

        There is one for each variant of the board.
        """
        first = repeat * board.variants
        return range(first, first + board.variants)

    def repeat_of(self, match: "Match | Played") -> int:
        """Return the repeat of the event that a match belongs to."""
        variants = self._variants.get(match.label, 1)
        return match.repeat // variants

    @cached_property
    def _variants(self) -> dict[str, int]:
        """The number of variants of each board that has several, by its label."""
        several = [board for board in self.boards if board.variants > 1]
        return {board.label: board.variants for board in several}

    def _opening(
        self,
        board: Board,
        seating: tuple[Bot, ...],
        repeat: int,
    ) -> Opening | None:
        """Return the opening of a match: the same for all seatings of these bots.

        Each repeat has another opening. The key of a match cannot serve, because each leg has its
        own. A key of openings belongs to the pairing and not to the repeat, because repeats can
        only avoid each other's openings if they know the key of all of them. It contains the bots'
        digests for the reason that ids contain them: an edited bot gets other openings than those
        that its author has seen.
        """
        listed = self.openings.on(board.plain_label)
        if not self.openings.plies and not listed:
            return None
        bots = {(bot.name, bot.digest) for bot in seating}
        key = identity.openings_key(self.seed, board.plain_label, bots)
        if listed:
            # The seed draws the line at which a pairing begins, so that few repeats do not use the
            # first lines only.
            first_line = int(key, 16)
            line = (first_line + repeat) % len(listed)
            return Opening(moves=listed[line])
        # Each sampled board has a sequence of its own, and the event's repeat is the number in it.
        number = repeat // board.variants
        return Opening(plies=self.openings.plies, key=key, number=number)

    @property
    def imported(self) -> bool:
        """True when its matches were imported: it has no plan but what is stored."""
        return self.schedule == IMPORTED

    @property
    def games(self) -> tuple[str, ...]:
        """The games of the event, in the order of its boards."""
        distinct = dict.fromkeys(board.game for board in self.boards)
        return tuple(distinct)

    def league(self, game: str) -> "Event":
        """Return the event of one game: its boards, and the bots that play there."""
        boards = tuple(board for board in self.boards if board.game == game)
        seats = _seats_on(boards)
        bots = []
        for bot in self.bots:
            if any(bot.plays(*seat) for seat in seats):
                bots.append(bot)
        return replace(self, boards=boards, bots=tuple(bots))

    @property
    def leagues(self) -> "tuple[Event, ...]":
        """The event of each game."""
        return tuple(map(self.league, self.games))

    @property
    def generalists(self) -> frozenset[str]:
        """The names of the bots that play every board and role."""
        seats = _seats_on(self.boards)
        names = set()
        for bot in self.bots:
            if all(bot.plays(*seat) for seat in seats):
                names.add(bot.name)
        return frozenset(names)

    @property
    def resampling_seed(self) -> int:
        """A number that fixes the resampling for intervals, and gives no secret seed away."""
        if isinstance(self.seed, int):
            return self.seed
        return int(identity.digest_of("resampling", self.seed), 16)


@dataclass(frozen=True, kw_only=True)
class OpenRanks:
    """Consecutive ranks whose bots are not yet surely in this order."""

    first: int
    last: int
    bots: tuple[str, ...]
    """Best first."""
    game: str = ""
    """The game in which they have these ranks; empty in an event of one game."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Why an event ended, where its tournament.toml has a rule for that."""

    rule: str
    """The key of tournament.toml whose rule ended it; `plan`: all planned matches were played
    before any rule did."""
    matches: int
    """The number of its matches that were played."""
    open: tuple[OpenRanks, ...]
    """The ranks that are still open at the event's confidence; `()` = the whole order is
    certain."""


@dataclass(frozen=True, kw_only=True)
class Failing:
    """The number of matches in which a bot failed first in one way, with an example."""

    bot: str
    ending: Ending
    times: int
    match: str
    """The example's id."""
    words: str
    """The sentence of the example's fault."""
    turn: int
    """The turn of the example's fault; 0 if the bot did not start."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """A finished match as standings need it: a Record without its transcript."""

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
    """The number of turns that were played."""
    fault_turns: Mapping[Role, int] = field(default_factory=dict)
    """The turn in which each of these failed; 0 = before the first."""

    @classmethod
    def of(cls, record: Record) -> "Played":
        """Return the part of a record that standings need."""
        match = record.match
        verdict = record.verdict
        endings: dict[Role, Ending] = {}
        fault_turns: dict[Role, int] = {}
        for fault in reversed(verdict.faults):  # so that a role's first fault counts
            endings[fault.role] = fault.ending
            fault_turns[fault.role] = fault.turn
        turn_numbers = [turn.number for turn in record.turns]
        return cls(
            id=match.id,
            game=match.game,
            board=match.board,
            repeat=match.repeat,
            seed=match.seed,
            seats={seat.role: seat.bot.name for seat in match.seats},
            scores=verdict.scores,
            reason=verdict.reason,
            endings=endings,
            sides=record.sides,
            turns=max(turn_numbers, default=0),
            fault_turns=fault_turns,
        )

    @property
    def absent(self) -> frozenset[Role]:
        """The roles whose bots did not say `ready`: they are at fault before the first turn."""
        roles = set()
        for role, turn in self.fault_turns.items():
            if turn == 0:
                roles.add(role)
        return frozenset(roles)

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.board}"


def identity_of(seat: Seat) -> tuple[object, ...]:
    """Return what the id of a match has of a seat.

    It has a number of processes, and the alias of a model, only where the bot has its own.
    """
    bot = seat.bot
    values: list[object] = [seat.role, bot.name, bot.digest]
    if bot.processes is not None:
        values.append(bot.processes)
    if bot.model_alias:
        values.append(["model", bot.model_alias])
    return tuple(values)


def _seats_on(boards: Iterable[Board]) -> list[tuple[str, str, Role]]:
    """Return each game, board and role of these boards."""
    seats = []
    for board in boards:
        for role in board.roles:
            seats.append((board.game, board.name, role))
    return seats


Batch = tuple[Played, ...]
"""The results of one batch of a schedule, in the order of its plan, never in the order in which
they finished."""
