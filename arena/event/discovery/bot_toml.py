"""bot.toml -> settings: how a bot is started, what it plays, what it limits itself to.

A mistake is one line that names the file and the key. A stranger writes this file, so everything in
it has a bound: the file, each text, list and number, and what a message repeats of them.

It needs pydantic, which takes 0.1 s to import, so discovery imports this module only when there is
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

LARGEST_FILE_BYTES = 128 * 1000  # room for a command and a build command of full length
LONGEST_TEXT = 200  # characters of an author, a language, a game or a role
MOST_NAMES = 100  # games or roles
MOST_THREADS = 128  # that a bot may ask for; the event's limits.threads is what it gets
NO_COMMAND = 'command: missing; for example command = "python bot.py"'


def _command(value: object) -> tuple[str, ...]:
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
    """`()` = that of the folder's only program, or of the one that is called bot or main."""
    build: Annotated[tuple[str, ...], BeforeValidator(_command)] = ()
    """The words that make it runnable; `()` = it is runnable."""
    bridge: Text = ""
    """The bridge between the protocol and its program: a name of arena's, or a file beside it."""
    options: Options = Field(default_factory=dict)
    """What the bridge gets."""
    language: Text = ""
    author: Text = ""
    display: Text = ""
    """The name to show; the name that `arena submit` knows counts more."""
    games: Texts = ()
    roles: Texts = ()
    limits: BotLimits | None = None
    remote: Text = ""
    """The version of a bot that stays on its author's machine, as the site writes it; empty = it is a program here."""
    warm: bool = True
    threads: int = Field(1, ge=1, le=MOST_THREADS)
    model: bool = False
    """True when it cannot play without a language model."""


def read(path: Path) -> BotSettings:
    """Return the settings in this bot.toml; FileError for any mistake in it, also when there is none."""
    if path.exists() and not path.is_file():
        raise FileError(path, "is not a file; write a bot.toml with a `command`")
    table = toml.read(path, NO_COMMAND, LARGEST_FILE_BYTES)
    try:
        return BotSettings.model_validate(table)
    except ValidationError as error:  # a message is one line, so it tells the first mistake
        first = wrong_keys(error, {"": BotSettings, "limits": BotLimits})[0]
        raise FileError(path, str(first)) from error
