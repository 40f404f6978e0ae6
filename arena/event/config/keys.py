"""The tables of tournament.toml, apart from the file itself, and the kinds of values that only this file has."""

import re
from contextlib import suppress
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from arena.clock import TimeControl
from arena.event.tables import MOST, BotLimits, CountOrNone, Seconds, SecondsOrNone, Table, as_tuple
from arena.games.openings import MOST_PLIES
from arena.values import Conditions, Limits

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


def _points(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_MARKS:
        return float(value)
    raise ValueError(f"a number from 0 to {MOST_MARKS}")


Points = Annotated[float, BeforeValidator(_points)]


class ThresholdTable(Table):
    """[[grade.threshold]]: marks for enough points against a reference bot."""

    reference: Word = Field(max_length=40, description="The name of the bot to play against.")
    board: str | None = Field(
        default=None, description="`game/board`, a board's name, or a game; without the key: all boards."
    )
    points: Points = Field(
        le=100, description="Points of 100 that are enough: the mean of the bot's scores against the reference."
    )
    marks: Points = Field(gt=0, description="Marks that a bot with these points gets; with fewer it gets none.")


def _some(thresholds: tuple[ThresholdTable, ...]) -> tuple[ThresholdTable, ...]:
    if not thresholds:  # `min_length` would also complain of a list whose only table has a mistake
        raise ValueError("at least one")
    return thresholds


class GradeTable(Table):
    """[grade]: the marks that `arena grade` gives."""

    threshold: Annotated[tuple[ThresholdTable, ...], BeforeValidator(as_tuple), AfterValidator(_some)] = Field(
        description="The marks of all thresholds are added up."
    )


def _webhook(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"https?://[^/\s@]+(/\S*)?", value):
        with suppress(ValueError):  # of an address or a port that cannot be
            if (where := urlsplit(value)).hostname and where.port != 0:
                return value
    raise ValueError("an address such as https://host/path, without a name or a password before the host")


class NotifyTable(Table):
    """[notify]: a webhook that gets a message when a run ends."""

    url: Annotated[str, BeforeValidator(_webhook)] = Field(
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
