"""The keys of tournament.toml that stand in tables, and the kinds of values that TOML has no word for.

It owns what a value may be. What a wrong one is told is said in mistakes.py, from the words that stand here.
"""

import math
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from arena import roster
from arena.clock import TimeControl
from arena.match import Conditions, Limits


def _seconds(value: object) -> object:
    """Whole numbers of seconds are numbers too."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a number of seconds")
    return float(value)


def _limited(value: object) -> object:
    """`"none"` is no limit."""
    if value == "none":
        return None
    try:
        return _seconds(value)
    except ValueError as error:
        raise ValueError(f'{error}, or "none"') from error


def _bytes(value: object) -> object:
    if value == "none":
        return None
    try:
        return roster.bytes_of(None if isinstance(value, bool) else value)  # type: ignore[arg-type] # it says so itself
    except (TypeError, ValueError) as error:
        raise ValueError(SIZE) from error


def _counted(value: object) -> object:
    """A whole number, or `"none"`."""
    if value == "none":
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError('a whole number, or "none"')  # noqa: TRY004 (pydantic tells of a ValueError)
    return value


def listed(value: object) -> object:
    """A list as the tuple that a frozen value holds."""
    return tuple(value) if isinstance(value, list) else value


SIZE = 'a size such as "256 MB", or "none"'
NONE = {"const": "none"}
COUNT = {"anyOf": [{"type": "integer", "minimum": 1}, {"const": "auto"}]}
MEMORY = {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "string"}]}
HOW_MANY = {"anyOf": [{"type": "integer", "minimum": 1}, NONE]}
LIMIT = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, NONE]}

Seconds = Annotated[float, BeforeValidator(_seconds)]
Limited = Annotated[float | None, BeforeValidator(_limited), WithJsonSchema(LIMIT)]
Bytes = Annotated[int | None, BeforeValidator(_bytes), WithJsonSchema(MEMORY)]
Count = Annotated[int | None, BeforeValidator(_counted), WithJsonSchema(HOW_MANY)]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]


Names = Annotated[tuple[str, ...], BeforeValidator(listed)]


class Table(BaseModel):
    """A table of the file: every key known, no value bent into another kind."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Time(Table):
    """[time]: seconds; `"none"` = no limit."""

    start: Limited = Field(default=TimeControl().start, gt=0, description="Seconds from `ready?` to `ready`.")
    move: Limited = Field(
        default=TimeControl().move, gt=0, description="Seconds for each answer, before the bank is touched."
    )
    bank: Seconds = Field(
        default=TimeControl().bank, ge=0, description="Seconds a match for what answers take beyond `move`, added up."
    )
    margin: Seconds = Field(
        default=TimeControl().margin, ge=0, description="Seconds forgiven on each answer; never told to the bot."
    )
    clock: Literal["wall", "cpu"] = Field(
        default="wall",
        description="What is charged: time on the wall without waits for a core, or CPU time (with processes = 1).",
    )


class Restrictions(Table):
    """[limits]: what one bot process may use; `"none"` = no limit."""

    memory: Bytes = Field(default=Limits().memory, gt=0, description='Bytes of memory, or a text such as "256 MB".')
    cpu: Limited = Field(default=Limits().cpu, gt=0, description="Seconds of CPU a match.")
    processes: int = Field(default=1, ge=1, description="Processes at once; threads are free.")
    scratch: Bytes = Field(default=Limits().scratch, gt=0, description="Bytes in its scratch folder.")
    files: Count = Field(default=Limits().files, ge=1, description="Files and folders in its scratch folder.")
    open_files: Count = Field(default=Limits().open_files, ge=16, description="Descriptors open at once.")
    output: Bytes = Field(default=Limits().output, gt=0, description="Bytes on stdout in one turn.")
    stderr: Bytes = Field(default=Limits().stderr, gt=0, description="Bytes on stderr in a match.")


class Faults(Table):
    """[faults]: what is forgiven."""

    strikes: int = Field(
        default=Conditions().strikes, ge=0, description="Illegal or garbled answers forgiven a match and seat."
    )


class Staff(Table):
    """[workers]: how many matches are played at once."""

    count: Annotated[Annotated[int, Field(ge=1)] | Literal["auto"], WithJsonSchema(COUNT)] = Field(
        default="auto", description='Referee processes; "auto" = one a core, fewer where bots think all at once.'
    )
    pin: bool | Literal["auto"] = Field(
        default="auto", description='Keep each on one core, with its bots; "auto" = where they take turns.'
    )

    @property
    def pinned(self) -> bool | None:
        """None = where it pays."""
        return None if self.pin == "auto" else self.pin


class Entry(Table):
    """[[bot]]: one bot by name."""

    name: Word = Field(max_length=40, description="Up to 40 letters, digits and . _ -")
    path: str | None = Field(
        default=None, description="A file, or a folder with a bot.toml; relative to tournament.toml."
    )
    command: Annotated[str | tuple[str, ...] | None, BeforeValidator(listed)] = Field(
        default=None, description="Instead of a path: the words that start it."
    )
