"""Tables of tournament.toml and bot.toml: limits, and the kinds of values that TOML does not have.

One pydantic class describes one table of a file. mistakes.py turns the errors of pydantic into
messages, one line a key.
"""

import math
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Annotated, Any, Self, TypeGuard

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from arena.values import Board, Bot, Conditions, Limits

DEFAULTS = Limits()
MOST = 10**15
"""The most bytes, seconds or pieces of anything: no machine has as much, and every system call and
database takes the number."""
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

SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")


def _seconds(value: object) -> float:
    """Return a number of seconds as a float; TOML writes whole numbers without a point."""
    if _is_number(value):
        with suppress(OverflowError):  # for a whole number of hundreds of digits
            if math.isfinite(value):
                return float(value)
    raise ValueError("a number of seconds")


def _bytes(value: object) -> int:
    """Return a size such as `256 MB` or `1 GiB` in bytes.

    pydantic.ByteSize reads "1 MB more" as 1 MB, and "64 Mbit" as a size. Here both are mistakes.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = None
    if isinstance(value, str):
        match = SIZE.fullmatch(value)
    if match is not None:
        number, unit = match.groups()
        factor = UNITS.get(unit.lower(), math.nan)
        size = float(number) * factor
        if math.isfinite(size):
            return int(size)
    raise ValueError('a size such as "256 MB"')


def _count(value: object) -> int:
    """Return a whole number; True and False are none, although Python takes them for numbers."""
    if isinstance(value, bool) or not isinstance(value, int):
        # pydantic reports a ValueError, and lets a TypeError pass.
        raise ValueError("a whole number")  # noqa: TRY004
    return value


def _amount(value: object) -> float:
    """Return a number from 0 as a float."""
    if _is_number(value) and 0 <= value <= MOST:
        return float(value)
    raise ValueError("a number from 0")


def _is_number(value: object) -> TypeGuard[int | float]:
    """Say whether a value is a number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _or_none(convert: Callable[[object], object]) -> BeforeValidator:
    """Return a validator that reads `"none"`, which means no limit, as None."""

    def converted(value: object) -> object:
        if value == "none":
            return None
        try:
            return convert(value)
        except ValueError as error:
            raise ValueError(f'{error}, or "none"') from error

    return BeforeValidator(converted)


def as_tuple(value: object) -> object:
    """Return a list as the tuple that a frozen value holds."""
    if isinstance(value, list):
        return tuple(value)
    return value


Seconds = Annotated[float, BeforeValidator(_seconds)]
SecondsOrNone = Annotated[float | None, _or_none(_seconds), WithJsonSchema(SECONDS_SCHEMA)]
BytesOrNone = Annotated[int | None, _or_none(_bytes), WithJsonSchema(MEMORY_SCHEMA)]
CountOrNone = Annotated[int | None, _or_none(_count), WithJsonSchema(COUNT_SCHEMA)]
Amount = Annotated[float, BeforeValidator(_amount)]
AmountOrNone = Annotated[float | None, _or_none(_amount), WithJsonSchema(AMOUNT_SCHEMA)]
ModelAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")]
"""The name of a language model in tournament.toml: `gpt` of [models.gpt]."""
Names = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]


class Table(BaseModel):
    """A table of a file: an unknown key is a mistake, and so is a value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ExtensionTable(Table):
    """A table of tournament.toml that an extension adds, and its changes to an event.

    If one of its keys has no default, an event may leave the whole table out. Otherwise a table
    that is left out has its defaults.
    """

    @classmethod
    def inner(cls) -> "type[Table] | None":
        """Return the class of the tables within, whose names the user chooses; None without any."""
        return None

    def conditions(self, before: Conditions) -> Conditions:
        """Return the conditions of every match; `before` has the changes of earlier tables."""
        return before

    def boards(self, before: tuple[Board, ...]) -> tuple[Board, ...]:
        """Return the boards of the event; `before` has the changes of earlier tables."""
        return before

    def check(self, boards: Sequence[Board], bots: Collection[Bot]) -> None:
        """Raise ArenaError for a mistake that shows only beside all boards and bots of the file."""

    def in_duel(self) -> Self | None:
        """Return the table for a duel of two bots; None where it means nothing there."""
        return self


class BotLimits(Table):
    """[limits] of a bot.toml, and most of [limits] of a tournament.toml: limits of one bot process.

    The defaults are those of an event. arena.values.Limits explains each limit.
    """

    memory: BytesOrNone = Field(
        DEFAULTS.memory,
        gt=0,
        le=MOST,
        description='Bytes of memory, or a text such as "256 MB".',
    )
    cpu: SecondsOrNone = Field(
        DEFAULTS.cpu,
        gt=0,
        le=MOST,
        description="Seconds of CPU a match.",
    )
    processes: int = Field(
        1,
        ge=1,
        le=MOST,
        description="Processes at once; threads are free.",
    )
    scratch: BytesOrNone = Field(
        DEFAULTS.scratch,
        gt=0,
        le=MOST,
        description="Bytes in its scratch folder.",
    )
    files: CountOrNone = Field(
        DEFAULTS.files,
        ge=1,
        le=MOST,
        description="Files and folders in its scratch folder.",
    )
    open_files: CountOrNone = Field(
        DEFAULTS.open_files,
        ge=1,
        le=MOST,
        description="Descriptors open at once.",
    )
    output: BytesOrNone = Field(
        DEFAULTS.output,
        gt=0,
        le=MOST,
        description="Bytes on stdout in one turn.",
    )
    stderr: BytesOrNone = Field(
        DEFAULTS.stderr,
        gt=0,
        le=MOST,
        description="Bytes on stderr in a match.",
    )

    def limits(self, *, defaults: bool) -> Limits:
        """Return the limits.

        A limit that the file does not name has its default, or is None without `defaults`.
        """
        values: dict[str, Any] = {}
        for name in BotLimits.model_fields:
            values[name] = None
            if defaults or name in self.model_fields_set:
                values[name] = getattr(self, name)
        return Limits(**values)
