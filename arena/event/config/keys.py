"""The tables of tournament.toml, apart from the file itself, and the kinds of values that only this file has."""

import re
from contextlib import suppress
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from arena.clock import TimeControl
from arena.event.tables import (
    MOST,
    Amount,
    AmountOrNone,
    BotLimits,
    CountOrNone,
    Names,
    Seconds,
    SecondsOrNone,
    Table,
    as_tuple,
)
from arena.event.tables.mistakes import Mistake
from arena.games.openings import MOST_PLIES
from arena.values import Conditions, Limits, ModelTerms, RemoteSeats

LEAST_MEMORY_BYTES = 1_000_000
LEAST_OPEN_FILES = 16
MOST_MARKS = 10_000
MOST_WORKERS = 512  # more than a machine has cores, and each worker is a process of some 60 MB
SCHEDULER = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}")
LOCAL_CLUSTER = re.compile(r"local:[1-9]\d{0,2}")
WORKERS_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MOST_WORKERS}, {"const": "auto"}]}
SECRET_SEED = re.compile("[0-9a-f]{32}")  # 128 bits; a text, because a number of TOML has 64 bits at most
SEED_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9a-fA-F]{32}$"}]}


def _seed(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise ValueError("0 or more")
        return value
    if isinstance(value, str) and SECRET_SEED.fullmatch(value.strip().lower()):
        return value.strip().lower()
    raise ValueError("a whole number from 0, or a text of 32 hex digits (`arena init` draws one)")


Seed = Annotated[int | str, BeforeValidator(_seed), WithJsonSchema(SEED_SCHEMA)]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]


DURATION = re.compile(r"(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)\s*s)?")
DURATION_SCHEMA = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]}


LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def _duration(value: object) -> object:
    if isinstance(value, str) and value.strip() and (match := DURATION.fullmatch(value.strip())):
        hours, minutes, seconds = (float(part or 0) for part in match.groups())
        value = 3600 * hours + 60 * minutes + seconds
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MOST:
        return float(value)
    raise ValueError('a time such as "10m", "1h 30m" or "90s"')


Duration = Annotated[float | None, BeforeValidator(_duration), WithJsonSchema(DURATION_SCHEMA)]


class Time(Table):
    """[time]: seconds; `"none"` = no limit."""

    start: SecondsOrNone = Field(default=TimeControl().start, gt=0, description="Seconds from `ready?` to `ready`.")
    move: SecondsOrNone = Field(
        default=TimeControl().move, gt=0, description="Seconds for each answer, before the bank is touched."
    )
    bank: Seconds = Field(
        default=TimeControl().bank,
        ge=0,
        description="Seconds a match for the time that answers take beyond `move`, added up.",
    )
    margin: Seconds = Field(
        default=TimeControl().margin, ge=0, description="Seconds added to each deadline; the bot does not know of them."
    )
    clock: Literal["wall", "cpu"] = Field(
        default="wall",
        description="The time charged: time on the wall without waits for a core, or CPU time (with processes = 1).",
    )


class RemoteTable(Table):
    """[remote]: bots that stay on their authors' machines (`arena join`); seconds, while the connection lasts."""

    start: SecondsOrNone = Field(
        default=RemoteSeats().time.start, gt=0, description="Seconds from `ready?` to `ready`."
    )
    move: SecondsOrNone = Field(
        default=RemoteSeats().time.move, gt=0, description="Seconds for each answer, before the bank is touched."
    )
    bank: Seconds = Field(
        default=RemoteSeats().time.bank,
        ge=0,
        description="Seconds a match for the time that answers take beyond `move`, added up.",
    )
    margin: Seconds = Field(
        default=RemoteSeats().time.margin, ge=0, description="Seconds added to each deadline, for the network."
    )
    grace: Seconds = Field(
        default=RemoteSeats().grace,
        ge=0,
        description="Seconds for which the connection may be lost in a match, added up; then its time is over.",
    )
    rated: bool = Field(
        default=False, description="Play them in this event; else in one of its own, NAME-remote, with its own table."
    )

    def seats(self) -> RemoteSeats:
        """Return the conditions of remote seats."""
        control = TimeControl(start=self.start, move=self.move, bank=self.bank, margin=self.margin)
        return RemoteSeats(time=control, grace=self.grace)


class LimitsTable(BotLimits):
    """[limits]: limits of one bot process; `"none"` = no limit."""

    open_files: CountOrNone = Field(
        default=Limits().open_files, ge=LEAST_OPEN_FILES, le=MOST, description="Descriptors open at once."
    )
    threads: CountOrNone = Field(
        default=1, ge=1, description="Cores that a bot may get by `threads` in its bot.toml, which costs lanes."
    )

    @field_validator("memory")
    @classmethod
    def _enough_memory(cls, value: int | None) -> int | None:
        if value is not None and value < LEAST_MEMORY_BYTES:
            raise ValueError('"1 MB" or more: no program starts in less')
        return value


class Faults(Table):
    """[faults]: faults that are forgiven."""

    strikes: int = Field(
        default=Conditions().strikes, ge=0, description="Illegal or garbled answers forgiven a match and seat."
    )


class OpeningsTable(Table):
    """[openings]: the first turns of each match, which no bot chooses."""

    plies: int = Field(
        default=0, ge=0, le=MOST_PLIES, description="Turns sampled at random, the same for all legs of a pairing."
    )
    file: str = Field(
        default="",
        description="Instead: a file of openings, relative to tournament.toml; `arena openings` makes such lines.",
    )

    @property
    def used(self) -> bool:
        """True when matches begin with openings."""
        return bool(self.plies or self.file)


def _cluster(address: object) -> object:
    if address is None or address == "none":
        return None
    if not isinstance(address, str) or not (SCHEDULER.fullmatch(address) or LOCAL_CLUSTER.fullmatch(address)):
        raise ValueError('a scheduler such as "tcp://host:8786" or "tls://host:8786", "local:4", or "none"')
    return address


class WorkersTable(Table):
    """[workers]: the processes that play the matches."""

    count: Annotated[Annotated[int, Field(ge=1, le=MOST_WORKERS)] | Literal["auto"], WithJsonSchema(WORKERS_SCHEMA)] = (
        Field(default="auto", description='Referee processes; "auto" = one a core, fewer where bots think all at once.')
    )
    pin: bool | Literal["auto"] = Field(
        default="auto", description='Keep each on one core, with its bots; "auto" = where they take turns.'
    )
    cluster: Annotated[str | None, BeforeValidator(_cluster)] = Field(
        default=None,
        description='Play on the machines of a dask cluster: its scheduler, such as "tcp://host:8786", or "local:4".',
    )
    scale_time: bool = Field(
        default=False, description="Give the bots on a slower machine of a cluster more time, and on a faster one less."
    )

    @property
    def pinned(self) -> bool | None:
        """`pin`, with None for "auto"."""
        return None if self.pin == "auto" else self.pin


def _web_address(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"https?://[^/\s@]+(/\S*)?", value):
        with suppress(ValueError):  # of an address or a port that cannot be
            if (where := urlsplit(value)).hostname and where.port != 0:
                return value
    raise ValueError("an address such as https://host/path, without a name or a password before the host")


class ModelTable(Table):
    """[model]: a language model that bots may ask (docs/models.md)."""

    name: str = Field(min_length=1, max_length=200, description="The model, as its provider calls it.")
    provider: Literal["url", "command", "tape"] | None = Field(
        default=None, description="Who answers; left out: the `url` or the `command`. `tape`: recorded answers alone."
    )
    url: Annotated[str | None, BeforeValidator(_web_address)] = Field(
        default=None, description="A server that speaks the OpenAI chat format, such as http://localhost:11434/v1."
    )
    command: Annotated[str | tuple[str, ...] | None, BeforeValidator(as_tuple)] = Field(
        default=None, description="Instead: the words of a program that reads a request as JSON and prints an answer."
    )
    key_variable: Annotated[str | None, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = Field(
        default=None, description="The environment variable with the provider's key."
    )
    key_file: str | None = Field(
        default=None, description="Instead: a file outside the workspace that only you may read."
    )
    tapes: Names = Field(default=(), description="Names of other events here whose answers serve in this one, too.")
    calls: int = Field(
        default=ModelTerms(name="").calls, ge=1, le=10_000, description="Answers for each seat in a match."
    )
    move: CountOrNone = Field(
        default=ModelTerms(name="").move,
        ge=1,
        le=MOST,
        description="Tokens for each turn of a seat, those of its questions too, before the bank is touched.",
    )
    bank: int = Field(
        default=0, ge=0, le=MOST, description="Tokens a match for what turns take beyond `move`, added up."
    )
    cost: AmountOrNone = Field(default=None, description="The most that the calls of a seat may cost in a match.")
    price_in: Amount = Field(default=0.0, description="The price of a million tokens of questions.")
    price_out: Amount = Field(default=0.0, description="The price of a million tokens of answers.")
    event_tokens: CountOrNone = Field(
        default=None, ge=1, le=MOST, description="The event's budget: no call is begun once so many are used."
    )
    event_cost: AmountOrNone = Field(default=None, description="The same as a cost.")
    at_once: int = Field(default=4, ge=1, le=MOST_WORKERS, description="Calls at once, of all lanes together.")
    rate: AmountOrNone = Field(default=None, gt=0, description="Calls a minute, of all lanes together.")
    wait: Seconds = Field(default=120.0, gt=0, le=3600, description="Seconds that a call may take.")
    retries: int = Field(default=3, ge=0, le=20, description="How often a call that failed is tried again.")
    disguise: bool = Field(
        default=False, description="Play each board once more, where bots with `model = true` see other words for it."
    )

    @model_validator(mode="after")
    def _has_one_provider(self) -> "ModelTable":
        if self.url is not None and self.command is not None:
            raise Mistake("command: there is a `url` as well: leave one of them out")
        if self.key_variable is not None and self.key_file is not None:
            raise Mistake("key_file: there is a `key_variable` as well: leave one of them out")
        if self.provider in {"url", "command"} and getattr(self, self.provider) is None:
            raise Mistake(f"{self.provider}: missing, though it is the provider")
        if self.provider is None and self.url is None and self.command is None:
            raise Mistake('url: missing; give a `url`, a `command`, or provider = "tape"')
        words = self.command.split() if isinstance(self.command, str) else self.command
        if words is not None and not words:
            raise Mistake("command: has no words")
        if {*"?#"}.intersection(self.url or ""):
            raise Mistake("url: it ends with the path: leave out `?` or `#` and what follows")
        has_key, where = self.key_variable or self.key_file, urlsplit(self.url or "")
        if has_key and where.scheme == "http" and where.hostname not in LOOPBACK:
            raise Mistake("url: a key travels by https only, unless the server is on this machine")
        return self

    @property
    def kind(self) -> Literal["url", "command", "tape"]:
        """Who answers."""
        return self.provider or ("url" if self.url is not None else "command")

    @property
    def terms(self) -> ModelTerms:
        """What a seat may ask in a match."""
        names = ("name", "calls", "move", "bank", "cost", "price_in", "price_out")
        return ModelTerms(**{name: getattr(self, name) for name in names})


class ThresholdTable(Table):
    """[[grade.threshold]]: marks for enough points against a reference bot."""

    reference: Word = Field(max_length=40, description="The name of the bot to play against.")
    board: str | None = Field(
        default=None, description="`game/board`, a board's name, or a game; without the key: all boards."
    )
    points: Amount = Field(
        le=100, description="Points of 100 that are enough: the mean of the bot's scores against the reference."
    )
    marks: Amount = Field(
        gt=0, le=MOST_MARKS, description="Marks that a bot with these points gets; with fewer it gets none."
    )


def _some(thresholds: tuple[ThresholdTable, ...]) -> tuple[ThresholdTable, ...]:
    if not thresholds:  # `min_length` would also complain of a list whose only table has a mistake
        raise ValueError("at least one")
    return thresholds


class GradeTable(Table):
    """[grade]: the marks that `arena grade` gives."""

    threshold: Annotated[tuple[ThresholdTable, ...], BeforeValidator(as_tuple), AfterValidator(_some)] = Field(
        description="The marks of all thresholds are added up."
    )


class ClimbTable(Table):
    """[climb]: what `arena climb` lets agents use, and when it promotes what they make (docs/climb.md)."""

    promote: Literal["better", "level"] = Field(
        default="better",
        description="What a new version must be proven: `better` than the one before; `level`: not worse by `points`.",
    )
    points: float = Field(
        default=5.0, gt=0, lt=100, description="Points of 100: the difference that the test is to tell from none."
    )
    pairings: int = Field(
        default=1000, ge=1, le=100_000, description="Pairings after which a test is undecided, and nothing is promoted."
    )
    time: Seconds = Field(
        default=600.0, gt=0, le=86_400, description="Seconds that an agent has in a round, waits for a model left out."
    )
    calls: int = Field(default=100, ge=1, le=10_000, description="Answers of the model for each agent in a round.")
    tokens: CountOrNone = Field(
        default=200_000, ge=1, le=MOST, description="Tokens for each agent in a round, those of its questions too."
    )
    cost: AmountOrNone = Field(default=None, description="The most that the calls of an agent may cost in a round.")


class NotifyTable(Table):
    """[notify]: a webhook that gets a message when a run ends."""

    url: Annotated[str, BeforeValidator(_web_address)] = Field(
        description="Where the message goes: a webhook of Slack, Discord, ntfy, ..."
    )
    private: bool = Field(default=False, description="Allow an address inside a network, and http.")

    @model_validator(mode="after")
    def _secure(self) -> "NotifyTable":
        if not (self.private or self.url.startswith("https://")):
            raise ValueError("url: https, or `private = true`")
        return self


class BotTable(Table):
    """[[bot]]: one bot by name."""

    name: Word = Field(max_length=40, description="Up to 40 letters, digits and . _ -")
    path: str | None = Field(
        default=None, description="A file, or a folder with a bot.toml; relative to tournament.toml."
    )
    command: Annotated[str | tuple[str, ...] | None, BeforeValidator(as_tuple)] = Field(
        default=None, description="Instead of a path: the words that start it."
    )
