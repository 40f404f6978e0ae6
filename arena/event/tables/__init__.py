"""The tables of tournament.toml and bot.toml: the kinds of values that TOML has no word for, and limits.

One pydantic table describes one table of a file. mistakes.py turns what pydantic finds into
messages, one line a key.
"""

import math
import re
from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from arena.values import Board, Conditions, Limits

DEFAULTS = Limits()
MOST = (
    10**15
)  # bytes, seconds or a count: no machine has so much, and every system call and database takes it
NONE = {"const": "none"}
MEMORY_SCHEMA = {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "string"}]}
COUNT_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 1}, NONE]}
AMOUNT_SCHEMA = {"anyOf": [{"type": "number", "minimum": 0}, NONE]}
SECONDS_SCHEMA = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, NONE]}


UNITS = {
    "": 1,
    "b": 1,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "kib": 1024,
    "mib": 1024**2,
    "gib": 1024**3,
}


def _seconds(value: object) -> float:
    """Return a number of seconds as a float; TOML writes whole numbers without a point."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        pass
    raise ValueError("a number of seconds")


def _bytes(value: object) -> int:
    """Return a size such as `256 MB` or `1 GiB` in bytes.

    pydantic.ByteSize reads "1 MB more" as 1 MB, and "64 Mbit" as a size, where a mistake should be
    named.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = (
        re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", value)
        if isinstance(value, str)
        else None
    )
    if (
        match is not None
        and (unit := UNITS.get(match[2].lower()))
        and math.isfinite(float(match[1]) * unit)
    ):
        return int(float(match[1]) * unit)
    raise ValueError('a size such as "256 MB"')


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("a whole number")  # noqa: TRY004 (pydantic reports a ValueError, and lets a TypeError pass)
    return value


def _amount(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST:
        return float(value)
    raise ValueError("a number from 0")


def _or_none(convert: Callable[[object], object]) -> BeforeValidator:
    """Return a validator that reads `"none"`, which is no limit, as None."""

    def converted(value: object) -> object:
        try:
            return None if value == "none" else convert(value)
        except ValueError as error:
            raise ValueError(f'{error}, or "none"') from error

    return BeforeValidator(converted)


def as_tuple(value: object) -> object:
    """Return a list as the tuple that a frozen value holds."""
    return tuple(value) if isinstance(value, list) else value


Seconds = Annotated[float, BeforeValidator(_seconds)]
SecondsOrNone = Annotated[float | None, _or_none(_seconds), WithJsonSchema(SECONDS_SCHEMA)]
BytesOrNone = Annotated[int | None, _or_none(_bytes), WithJsonSchema(MEMORY_SCHEMA)]
CountOrNone = Annotated[int | None, _or_none(_count), WithJsonSchema(COUNT_SCHEMA)]
Amount = Annotated[float, BeforeValidator(_amount)]
AmountOrNone = Annotated[float | None, _or_none(_amount), WithJsonSchema(AMOUNT_SCHEMA)]
Names = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]


class Table(BaseModel):
    """A table of a file: every key is known, and no value is converted into another kind."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ExtensionTable(Table):
    """A table of tournament.toml that an extension adds, and what it changes of an event.

    If one of its keys has no default, an event may leave the whole table out. Otherwise a table
    that is left out has its defaults.
    """

    def conditions(self, before: Conditions) -> Conditions:
        """Return the conditions of every match, which the tables before this one have changed."""
        return before

    def boards(self, before: tuple[Board, ...]) -> tuple[Board, ...]:
        """Return the boards of the event, which the tables before this one have changed."""
        return before


class BotLimits(Table):
    """[limits] of a bot.toml, and most of [limits] of a tournament.toml: limits of one bot process.

    The defaults are the event's. arena.values.Limits says what each limit is for.
    """

    memory: BytesOrNone = Field(
        DEFAULTS.memory, gt=0, le=MOST, description='Bytes of memory, or a text such as "256 MB".'
    )
    cpu: SecondsOrNone = Field(DEFAULTS.cpu, gt=0, le=MOST, description="Seconds of CPU a match.")
    processes: int = Field(1, ge=1, le=MOST, description="Processes at once; threads are free.")
    scratch: BytesOrNone = Field(
        DEFAULTS.scratch, gt=0, le=MOST, description="Bytes in its scratch folder."
    )
    files: CountOrNone = Field(
        DEFAULTS.files, ge=1, le=MOST, description="Files and folders in its scratch folder."
    )
    open_files: CountOrNone = Field(
        DEFAULTS.open_files, ge=1, le=MOST, description="Descriptors open at once."
    )
    output: BytesOrNone = Field(
        DEFAULTS.output, gt=0, le=MOST, description="Bytes on stdout in one turn."
    )
    stderr: BytesOrNone = Field(
        DEFAULTS.stderr, gt=0, le=MOST, description="Bytes on stderr in a match."
    )

    def limits(self, *, defaults: bool) -> Limits:
        """Return the limits; a limit that the file does not name has its default, or None without `defaults`."""
        names = BotLimits.model_fields if defaults else self.model_fields_set
        return Limits(
            **{
                name: getattr(self, name) if name in names else None
                for name in BotLimits.model_fields
            }
        )
