"""The tables of tournament.toml and bot.toml: the kinds of values that TOML has no word for, and limits.

One pydantic table describes one table of a file. mistakes.py turns what pydantic finds into messages, one line a key.
"""

import math
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from arena.event.tables.sizes import bytes_of
from arena.values import Limits

MOST = 10**15  # bytes, seconds or a count: no machine has so much, and every system call and database takes it
SIZE = 'a size such as "256 MB", or "none"'
NONE = {"const": "none"}
MEMORY_SCHEMA = {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "string"}]}
COUNT_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 1}, NONE]}
SECONDS_SCHEMA = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, NONE]}


def _seconds(value: object) -> object:
    """Return a number of seconds as a float; TOML writes whole numbers without a point."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        pass
    raise ValueError("a number of seconds")


def _seconds_or_none(value: object) -> object:
    """Return a number of seconds, or None for `"none"`, which is no limit."""
    if value == "none":
        return None
    try:
        return _seconds(value)
    except ValueError as error:
        raise ValueError(f'{error}, or "none"') from error


def _bytes_or_none(value: object) -> object:
    """Return a number of bytes, or None for `"none"`."""
    if value == "none":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(SIZE)  # noqa: TRY004 (pydantic reports a ValueError, and lets a TypeError pass)
    try:
        return bytes_of(value)
    except ValueError as error:
        raise ValueError(SIZE) from error


def _count_or_none(value: object) -> object:
    """Return a whole number, or None for `"none"`."""
    if value == "none":
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError('a whole number, or "none"')  # noqa: TRY004 (as above)
    return value


def as_tuple(value: object) -> object:
    """Return a list as the tuple that a frozen value holds."""
    return tuple(value) if isinstance(value, list) else value


Seconds = Annotated[float, BeforeValidator(_seconds)]
SecondsOrNone = Annotated[float | None, BeforeValidator(_seconds_or_none), WithJsonSchema(SECONDS_SCHEMA)]
BytesOrNone = Annotated[int | None, BeforeValidator(_bytes_or_none), WithJsonSchema(MEMORY_SCHEMA)]
CountOrNone = Annotated[int | None, BeforeValidator(_count_or_none), WithJsonSchema(COUNT_SCHEMA)]
Names = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]


class Table(BaseModel):
    """A table of a file: every key is known, and no value is converted into another kind."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BotLimits(Table):
    """[limits] of a bot.toml, and most of [limits] of a tournament.toml: limits of one bot process.

    The defaults are the event's. arena.values.Limits says what each limit is for.
    """

    memory: BytesOrNone = Field(
        default=Limits().memory, gt=0, le=MOST, description='Bytes of memory, or a text such as "256 MB".'
    )
    cpu: SecondsOrNone = Field(default=Limits().cpu, gt=0, le=MOST, description="Seconds of CPU a match.")
    processes: int = Field(default=1, ge=1, le=MOST, description="Processes at once; threads are free.")
    scratch: BytesOrNone = Field(default=Limits().scratch, gt=0, le=MOST, description="Bytes in its scratch folder.")
    files: CountOrNone = Field(
        default=Limits().files, ge=1, le=MOST, description="Files and folders in its scratch folder."
    )
    open_files: CountOrNone = Field(default=Limits().open_files, ge=1, le=MOST, description="Descriptors open at once.")
    output: BytesOrNone = Field(default=Limits().output, gt=0, le=MOST, description="Bytes on stdout in one turn.")
    stderr: BytesOrNone = Field(default=Limits().stderr, gt=0, le=MOST, description="Bytes on stderr in a match.")

    def limits(self, *, defaults: bool) -> Limits:
        """Return the limits; a limit that the file does not name has its default, or None without `defaults`."""
        names = BotLimits.model_fields if defaults else self.model_fields_set
        return Limits(**{name: getattr(self, name) if name in names else None for name in BotLimits.model_fields})
