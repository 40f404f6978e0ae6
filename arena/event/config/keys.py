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

CLOCK, REMOTE, TERMS, LIMITS = TimeControl(), RemoteSeats(), ModelTerms(name=""), Limits()  # the defaults
LEAST_MEMORY_BYTES = 1_000_000
LEAST_OPEN_FILES = 16
MOST_MARKS = 10_000
MOST_WORKERS = 512  # more than a machine has cores, and each worker is a process of some 60 MB
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


Kind = Literal["url", "command", "tape"]
Words = Annotated[str | tuple[str, ...] | None, BeforeValidator(as_tuple)]
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

    start: SecondsOrNone = Field(CLOCK.start, gt=0, description="Seconds from `ready?` to `ready`.")
    move: SecondsOrNone = Field(CLOCK.move, gt=0, description="Seconds for each answer, before the bank.")
    bank: Seconds = Field(CLOCK.bank, ge=0, description="Seconds a match that answers may take beyond `move`.")
    margin: Seconds = Field(CLOCK.margin, ge=0, description="Seconds added to each deadline, unknown to the bot.")
    clock: Literal["wall", "cpu"] = Field("wall", description="Time on the wall without waits for a core, or CPU time.")


class RemoteTable(Table):
    """[remote]: bots that stay on their authors' machines (`arena join`); seconds, while the connection lasts."""

    start: SecondsOrNone = Field(REMOTE.time.start, gt=0, description="Seconds from `ready?` to `ready`.")
    move: SecondsOrNone = Field(REMOTE.time.move, gt=0, description="Seconds for each answer, before the bank.")
    bank: Seconds = Field(REMOTE.time.bank, ge=0, description="Seconds a match that answers may take beyond `move`.")
    margin: Seconds = Field(REMOTE.time.margin, ge=0, description="Seconds added to each deadline, for the network.")
    grace: Seconds = Field(REMOTE.grace, ge=0, description="Seconds a match, in all, that its connection may be lost.")
    rated: bool = Field(False, description="Play them in this event, and not in NAME-remote.")

    def seats(self) -> RemoteSeats:
        """Return the conditions of remote seats."""
        control = TimeControl(start=self.start, move=self.move, bank=self.bank, margin=self.margin)
        return RemoteSeats(time=control, grace=self.grace)


class LimitsTable(BotLimits):
    """[limits]: limits of one bot process; `"none"` = no limit."""

    open_files: CountOrNone = Field(
        LIMITS.open_files, ge=LEAST_OPEN_FILES, le=MOST, description="Descriptors open at once."
    )
    threads: CountOrNone = Field(1, ge=1, description="Cores that `threads` in a bot.toml may ask for.")

    @field_validator("memory")
    @classmethod
    def _enough_memory(cls, value: int | None) -> int | None:
        if value is not None and value < LEAST_MEMORY_BYTES:
            raise ValueError('"1 MB" or more: no program starts in less')
        return value


class Faults(Table):
    """[faults]: faults that are forgiven."""

    strikes: int = Field(Conditions().strikes, ge=0, description="Bad answers that each seat is forgiven in a match.")


class OpeningsTable(Table):
    """[openings]: the first turns of each match, which no bot chooses."""

    plies: int = Field(0, ge=0, le=MOST_PLIES, description="Turns sampled, the same for all legs of a pairing.")
    file: str = Field("", description="Instead: a file of openings, as `arena openings` makes them.")

    @property
    def used(self) -> bool:
        """True when matches begin with openings."""
        return bool(self.plies or self.file)


class WorkersTable(Table):
    """[workers]: the processes that play the matches."""

    count: Annotated[Annotated[int, Field(ge=1, le=MOST_WORKERS)] | Literal["auto"], WithJsonSchema(WORKERS_SCHEMA)] = (
        Field("auto", description='Referee processes; "auto" = one a core, fewer where bots think all at once.')
    )
    pin: bool | Literal["auto"] = Field("auto", description='Keep each on one core; "auto" = where bots take turns.')

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
    """[model]: a language model that bots may ask (docs/extras/models.md)."""

    name: str = Field(min_length=1, max_length=200, description="The model, as its provider calls it.")
    provider: Kind | None = Field(None, description="Left out: the `url` or the `command`; `tape`: recorded answers.")
    url: Annotated[str | None, BeforeValidator(_web_address)] = Field(
        None, description="A server that speaks the OpenAI chat format, such as http://localhost:11434/v1."
    )
    command: Words = Field(
        None, description="Instead: the words of a program that reads a request as JSON and prints an answer."
    )
    key_variable: Annotated[str | None, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = Field(
        None, description="The variable with the provider's key."
    )
    key_file: str | None = Field(None, description="Instead: a file outside the workspace that only you may read.")
    tapes: Names = Field((), description="Names of other events here whose answers serve in this one, too.")
    calls: int = Field(TERMS.calls, ge=1, le=10_000, description="Answers for each seat in a match.")
    move: CountOrNone = Field(
        TERMS.move,
        ge=1,
        le=MOST,
        description="Tokens for each turn of a seat, those of its questions too, before the bank is touched.",
    )
    bank: int = Field(0, ge=0, le=MOST, description="Tokens a match for what turns take beyond `move`, added up.")
    cost: AmountOrNone = Field(None, description="The most that the calls of a seat may cost in a match.")
    price_in: Amount = Field(0.0, description="The price of a million tokens of questions.")
    price_out: Amount = Field(0.0, description="The price of a million tokens of answers.")
    event_tokens: CountOrNone = Field(None, ge=1, le=MOST, description="The event's budget; no call begins beyond it.")
    event_cost: AmountOrNone = Field(None, description="The same as a cost.")
    at_once: int = Field(4, ge=1, le=MOST_WORKERS, description="Calls at once, of all lanes together.")
    rate: AmountOrNone = Field(None, gt=0, description="Calls a minute, of all lanes together.")
    wait: Seconds = Field(120.0, gt=0, le=3600, description="Seconds that a call may take.")
    retries: int = Field(3, ge=0, le=20, description="How often a call that failed is tried again.")
    disguise: bool = Field(False, description="Play each board again, in other words for bots with a model.")

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
    def kind(self) -> Kind:
        """The kind of provider that answers."""
        return self.provider or ("url" if self.url is not None else "command")

    @property
    def terms(self) -> ModelTerms:
        """The limits and prices of what a seat may ask in a match."""
        names = ("name", "calls", "move", "bank", "cost", "price_in", "price_out")
        return ModelTerms(**{name: getattr(self, name) for name in names})


class ThresholdTable(Table):
    """[[grade.threshold]]: marks for enough points against a reference bot."""

    reference: Word = Field(max_length=40, description="The name of the bot to play against.")
    board: str | None = Field(None, description="`game/board`, a board's name, or a game; without the key: all boards.")
    points: Amount = Field(le=100, description="Points of 100, the mean against the reference, that are enough.")
    marks: Amount = Field(gt=0, le=MOST_MARKS, description="Marks for a bot with these points; with fewer: none.")


def _some(thresholds: tuple[ThresholdTable, ...]) -> tuple[ThresholdTable, ...]:
    if not thresholds:  # `min_length` would also complain of a list whose only table has a mistake
        raise ValueError("at least one")
    return thresholds


class GradeTable(Table):
    """[grade]: the marks that `arena grade` gives."""

    threshold: Annotated[tuple[ThresholdTable, ...], BeforeValidator(as_tuple), AfterValidator(_some)] = Field(
        description="The marks of all thresholds are added up."
    )


class NotifyTable(Table):
    """[notify]: a webhook that gets a message when a run ends."""

    url: Annotated[str, BeforeValidator(_web_address)] = Field(description="A webhook of Slack, Discord, ntfy, ...")
    private: bool = Field(False, description="Allow an address inside a network, also by http.")

    @model_validator(mode="after")
    def _secure(self) -> "NotifyTable":
        if not (self.private or self.url.startswith("https://")):
            raise ValueError("url: https, or `private = true`")
        return self


class BotTable(Table):
    """[[bot]]: one bot by name. Without a path and a command: what holds for the bot of this name in the folder."""

    name: Word = Field(max_length=40, description="Up to 40 letters, digits and . _ -")
    path: str | None = Field(None, description="A file, or a folder with a bot.toml; relative to tournament.toml.")
    command: Words = Field(None, description="Instead of a path: the words that start it.")
    processes: int | None = Field(
        None, ge=1, le=MOST, description="Processes of this bot at once, in place of `limits.processes`."
    )

    @property
    def adds_bot(self) -> bool:
        """True if the bot is none of the folder's."""
        return self.path is not None or self.command is not None
