"""bot.toml -> settings: the command of a bot, its games and roles, and its own limits.

A mistake is one line that names the file and the key. A stranger writes this file, so everything in
it has a bound: the file, each text, list and number, and the part of them that a message repeats.

This module needs pydantic, which takes 0.1 s to import, so discovery imports it only when there is
a bot.toml to read.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError

from arena import toml
from arena.errors import FileError
from arena.event.discovery import bridged, programs
from arena.event.tables import BotLimits, Table, as_tuple
from arena.event.tables.mistakes import Mistake, wrong_keys

LARGEST_FILE_BYTES = 128 * 1000
"""The size of a file with a command and a build command of full length."""
LONGEST_TEXT = 200
"""The characters of an author, a language, a game or a role."""
MOST_NAMES = 100
"""The number of games, or of roles."""
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


Options = Annotated[dict[str, bridged.Option], BeforeValidator(_bridge_options)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
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
    remote: Text = ""
    """The version of a bot that stays on its author's machine, as the site writes it.

    Empty = the bot is a program here."""
    warm: bool = True
    threads: int = Field(1, ge=1, le=MOST_THREADS)
    model: bool = False
    """True when it cannot play without a language model."""


def read(path: Path) -> BotSettings:
    """Return the settings in this bot.toml; FileError for any mistake, also when it is missing."""
    if path.exists() and not path.is_file():
        raise FileError(path, "is not a file; write a bot.toml with a `command`")
    table = toml.read(path, NO_COMMAND, LARGEST_FILE_BYTES)
    try:
        return BotSettings.model_validate(table)
    except ValidationError as error:  # a message is one line, so it has the first mistake only
        first = wrong_keys(error, {"": BotSettings, "limits": BotLimits})[0]
        raise FileError(path, str(first)) from error
