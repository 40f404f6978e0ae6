"""The tables of tournament.toml, and the kinds of values that only this file has."""

import re
from contextlib import suppress
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    BeforeValidator,
    Field,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from arena.clock import TimeControl
from arena.event.discovery.bot_toml import Options
from arena.event.tables import (
    MOST,
    BotLimits,
    CountOrNone,
    ModelAlias,
    Seconds,
    SecondsOrNone,
    Table,
    as_tuple,
)
from arena.games.openings import MOST_PLIES
from arena.values import Conditions, Limits

CLOCK = TimeControl()  # these two have the defaults
LIMITS = Limits()
LEAST_MEMORY_BYTES = 1_000_000
LEAST_OPEN_FILES = 16
MOST_WORKERS = 512
"""More than a machine has cores; each worker is a process of some 60 MB."""
WORKERS_SCHEMA = {
    "anyOf": [{"type": "integer", "minimum": 1, "maximum": MOST_WORKERS}, {"const": "auto"}]
}
SECRET_SEED = re.compile("[0-9a-f]{32}")
"""128 bits, as a text, because a number of TOML has 64 bits at most."""
SEED_SCHEMA = {
    "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9a-fA-F]{32}$"}]
}


def _seed(value: object) -> object:
    """Return a seed, with its hex digits as small letters."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise ValueError("0 or more")
        return value
    if isinstance(value, str):
        digits = value.strip().lower()
        if SECRET_SEED.fullmatch(digits):
            return digits
    raise ValueError("a whole number from 0, or a text of 32 hex digits (`arena init` draws one)")


Seed = Annotated[int | str, BeforeValidator(_seed), WithJsonSchema(SEED_SCHEMA)]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]


DURATION = re.compile(r"(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)\s*s)?")
DURATION_SCHEMA = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]}


Words = Annotated[str | tuple[str, ...] | None, BeforeValidator(as_tuple)]


def _duration(value: object) -> object:
    """Return a time such as `1h 30m` in seconds."""
    if isinstance(value, str):
        match = DURATION.fullmatch(value.strip())
        if match is not None and match[0]:  # every part of the pattern may be absent
            hours, minutes, seconds = match.groups("0")
            value = 3600 * float(hours) + 60 * float(minutes) + float(seconds)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MOST:
        return float(value)
    raise ValueError('a time such as "10m", "1h 30m" or "90s"')


Duration = Annotated[float | None, BeforeValidator(_duration), WithJsonSchema(DURATION_SCHEMA)]


class Time(Table):
    """[time]: seconds; `"none"` = no limit."""

    start: SecondsOrNone = Field(
        CLOCK.start,
        gt=0,
        description="Seconds from `ready?` to `ready`.",
    )
    move: SecondsOrNone = Field(
        CLOCK.move,
        gt=0,
        description="Seconds for each answer, before the bank.",
    )
    bank: Seconds = Field(
        CLOCK.bank,
        ge=0,
        description="Seconds a match that answers may take beyond `move`.",
    )
    margin: Seconds = Field(
        CLOCK.margin,
        ge=0,
        description="Seconds added to each deadline, unknown to the bot.",
    )
    clock: Literal["wall", "cpu"] = Field(
        "wall", description="Time on the wall without waits for a core, or CPU time."
    )


class LimitsTable(BotLimits):
    """[limits]: limits of one bot process; `"none"` = no limit."""

    open_files: CountOrNone = Field(
        LIMITS.open_files,
        ge=LEAST_OPEN_FILES,
        le=MOST,
        description="Descriptors open at once.",
    )
    threads: CountOrNone = Field(
        1, ge=1, description="Cores that `threads` in a bot.toml may ask for."
    )
    bridges: bool = Field(
        True, description="Allow a bot behind a bridge the process of its engine, one more."
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
        Conditions().strikes, ge=0, description="Bad answers that each seat is forgiven in a match."
    )


class OpeningsTable(Table):
    """[openings]: the first turns of each match, which no bot chooses."""

    plies: int = Field(
        0,
        ge=0,
        le=MOST_PLIES,
        description="Turns sampled, the same for all legs of a pairing.",
    )
    file: str = Field(
        "", description="Instead: a file of openings, as `arena openings` makes them."
    )

    @property
    def used(self) -> bool:
        """True when matches begin with openings."""
        return bool(self.plies or self.file)


class WorkersTable(Table):
    """[workers]: the processes that play the matches."""

    count: Annotated[
        Annotated[int, Field(ge=1, le=MOST_WORKERS)] | Literal["auto"],
        WithJsonSchema(WORKERS_SCHEMA),
    ] = Field(
        "auto",
        description='Referee processes; "auto" = one a core, fewer where bots think all at once.',
    )
    pin: bool | Literal["auto"] = Field(
        "auto", description='Keep each on one core; "auto" = where bots take turns.'
    )

    @property
    def pinned(self) -> bool | None:
        """`pin`, with None for "auto"."""
        if self.pin == "auto":
            return None
        return self.pin


def web_address(value: object) -> object:
    """Return the address of a web server; ValueError for any other value."""
    if isinstance(value, str) and re.fullmatch(r"https?://[^/\s@]+(/\S*)?", value):
        with suppress(ValueError):  # for an impossible address or port
            address = urlsplit(value)
            if address.hostname and address.port != 0:
                return value
    raise ValueError(
        "an address such as https://host/path, without a name or a password before the host"
    )


def rating_table(value: object) -> object:
    """Return a table with the name for a name alone."""
    if isinstance(value, str):
        return {"name": value}
    return value


class RatingTable(Table):
    """[rating]: what decides the rank."""

    name: str = Field("bradley_terry", description="bradley_terry, elo, points or alpha_rank.")
    prior: Literal["estimated", "none"] = Field(
        "estimated",
        description="Draw ratings towards the average as far as few matches leave them open; "
        '"none": the plain fit of bradley_terry and elo.',
    )


NameOrRating = Annotated[
    RatingTable,
    BeforeValidator(rating_table),
    WithJsonSchema({"anyOf": [{"type": "string"}, RatingTable.model_json_schema()]}),
]


class NotifyTable(Table):
    """[notify]: a webhook that gets a message when a run ends."""

    url: Annotated[str, BeforeValidator(web_address)] = Field(
        description="A webhook of Slack, Discord, ntfy, ..."
    )
    private: bool = Field(False, description="Allow an address inside a network, also by http.")

    @model_validator(mode="after")
    def _secure(self) -> "NotifyTable":
        if not (self.private or self.url.startswith("https://")):
            raise ValueError("url: https, or `private = true`")
        return self


class BotTable(Table):
    """[[bot]]: a bot; without path and command, settings of the folder's bot of this name."""

    name: Word = Field(max_length=40, description="Up to 40 letters, digits and . _ -")
    path: str | None = Field(
        None, description="A file, or a folder with a bot.toml; relative to tournament.toml."
    )
    command: Words = Field(None, description="Instead of a path: the words that start it.")
    bridge: str | None = Field(
        None, description="With a command: the bridge before it, such as `uci`."
    )
    options: Options = Field(default_factory=dict, description="What the bridge gets.")
    processes: int | None = Field(
        None,
        ge=1,
        le=MOST,
        description="Processes of this bot at once, in place of `limits.processes`.",
    )
    model: ModelAlias | None = Field(
        None, description="The language model that it asks: `gpt` for [models.gpt]."
    )

    @property
    def adds_bot(self) -> bool:
        """True if the bot is not one of the folder."""
        return self.path is not None or self.command is not None
