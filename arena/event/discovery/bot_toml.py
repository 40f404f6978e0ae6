"""bot.toml -> settings: the command of a bot, its games and roles, and its own limits.

A mistake is one line that names the file and the key. A stranger writes this file, so everything in
it has a bound: the file, each text, list and number, and the part of them that a message repeats.

This module needs pydantic, which takes 0.1 s to import, so discovery imports it only when there is
a bot.toml to read.
"""

import math
from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from arena import toml
from arena.errors import FileError
from arena.event.discovery import bridged, programs
from arena.event.tables import BotLimits, ModelAlias, Table, as_tuple
from arena.event.tables.mistakes import Mistake, wrong_keys

LARGEST_FILE_BYTES = 128 * 1000
"""The size of a file with a command and a build command of full length."""
LONGEST_TEXT = 200
"""The characters of an author, a language, a game or a role."""
MOST_NAMES = 100
"""The number of games, or of roles."""
MOST_PARAMETERS = 50
"""The parameters that a bot may declare."""
MOST_THREADS = 128
"""The threads that a bot may ask for; `limits.threads` of the event says how many it gets."""
NO_COMMAND = 'command: missing; for example command = "python bot.py"'


def _command(value: object) -> tuple[str, ...]:
    """Return the words of a command that may be a stranger's."""
    try:
        command = programs.words_of(value)
        programs.refuse_outside(command)
    except ValueError as error:
        raise Mistake(str(error)) from error
    return command


def _bridge_options(value: object) -> object:
    try:
        return bridged.checked_options(value)
    except ValueError as error:
        raise Mistake(str(error)) from error


class Parameter(Table):
    """A number of a bot that `arena tune` may change: `{name}` in the command is its value."""

    low: float
    high: float
    start: float
    step: float = Field(1.0, gt=0)
    """The distance of two values that differ; the values are `low`, `low + step` and so on."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        numbers = (self.low, self.high, self.start, self.step)
        if not all(map(math.isfinite, numbers)):
            raise Mistake("expected finite numbers")
        if not self.low <= self.start <= self.high:
            raise Mistake("expected low <= start <= high")
        length = self.high - self.low
        if length < self.step:
            raise Mistake("expected a step that is not longer than from low to high")
        return self

    def text(self, value: float) -> str:
        """Return a value as the command gets it: a whole number without a decimal point."""
        whole = int(value)
        if value == whole:
            return str(whole)
        return repr(value)


Options = Annotated[dict[str, bridged.Option], BeforeValidator(_bridge_options)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
ParameterName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Texts = Annotated[tuple[Text, ...], BeforeValidator(as_tuple), Field(max_length=MOST_NAMES)]


class BotSettings(Table):
    """The content of a bot.toml."""

    command: Annotated[tuple[str, ...], BeforeValidator(_command)] = ()
    """`()` = that of the folder's only program, or of its program that is called bot or main."""
    build: Annotated[tuple[str, ...], BeforeValidator(_command)] = ()
    """The command that builds it; `()` = it runs as it is."""
    bridge: Text = ""
    """The bridge between the protocol and its program: a name of arena's, or a file beside it."""
    options: Options = Field(default_factory=dict)
    """The options of the bridge."""
    language: Text = ""
    author: Text = ""
    display: Text = ""
    """The display name; the name that `arena submit` knows counts more."""
    games: Texts = ()
    roles: Texts = ()
    limits: BotLimits | None = None
    parameters: Annotated[dict[ParameterName, Parameter], Field(max_length=MOST_PARAMETERS)] = (
        Field(default_factory=dict)
    )
    """Numbers in its command that `arena tune` may change."""
    remote: Text = ""
    """The version of a bot that stays on its author's machine, as the site writes it.

    Empty = the bot is a program here."""
    warm: bool = True
    threads: int = Field(1, ge=1, le=MOST_THREADS)
    model: bool | ModelAlias = False
    """True when it cannot play without a language model; or the alias of the model that it asks."""

    @property
    def filled_command(self) -> tuple[str, ...]:
        """The command with the start value of each parameter in place of its name in braces."""
        values: dict[str, str] = {}
        """By name in braces."""
        for name, parameter in self.parameters.items():
            values[f"{{{name}}}"] = parameter.text(parameter.start)

        words = []
        for word in self.command:
            for in_braces, value in values.items():
                word = word.replace(in_braces, value)
            words.append(word)
        return tuple(words)


def read(path: Path) -> BotSettings:
    """Return the settings in this bot.toml; FileError for any mistake, also when it is missing."""
    if path.exists() and not path.is_file():
        raise FileError(path, "is not a file; write a bot.toml with a `command`")
    table = toml.read(path, NO_COMMAND, LARGEST_FILE_BYTES)
    try:
        return BotSettings.model_validate(table)
    except ValidationError as error:  # a message is one line, so it has the first mistake only
        tables: dict[str, type[Table]] = {"": BotSettings, "limits": BotLimits}
        parameters = table.get("parameters")
        if isinstance(parameters, dict):
            for name in parameters:
                tables[f"parameters.{name}"] = Parameter
        first = wrong_keys(error, tables)[0]
        raise FileError(path, str(first)) from error
