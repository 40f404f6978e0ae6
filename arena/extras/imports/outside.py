"""Matches that were played without arena, as their file tells of them.

It checks what stands in such a file.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from arena.errors import ArenaError, FileError
from arena.games import boards
from arena.protocol import clean
from arena.values import Ending

LONGEST_NAME = 80
"""Letters of a bot's name."""
LONGEST_KEY = 200
"""Letters of the name of a match, and of a reason."""
ROLE = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,39}")
FORMULA = ("=", "+", "-", "@")
"""A spreadsheet takes a cell that begins so for a formula."""
MOST_SECONDS = 1e9
WIN = 100
DRAW = 50
LOSS = 0


@dataclass(frozen=True)
class FilePosition:
    """A position in a file, for messages."""

    path: Path
    line: int

    def mistake(self, column: str, words: str) -> ArenaError:
        """Return the mistake in this line, and in a column or a tag of it."""
        where = f"line {self.line}"
        if column:
            where += f", {column}"
        return FileError(self.path, f"{where}: {words}")


@dataclass(frozen=True, kw_only=True)
class OutsideSeat:
    """A bot in a role, and how it did."""

    role: str
    bot: str
    score: int
    """0 to 100."""
    side: str = ""
    """Roles with the same text win together; empty = the role alone."""
    ending: Ending | None = None
    words: str = ""
    """What the file says of the ending."""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class OutsideMatch:
    """A match as its file tells of it."""

    position: FilePosition
    game: str
    board: str
    seats: tuple[OutsideSeat, ...]
    """In order of play."""
    reason: str
    started: str = ""
    """UTC time, ISO 8601; empty = unknown."""
    name: str = ""
    """The name that its file gives it; empty = none."""
    content: str = ""
    """What identifies it beside all this, such as a hash of its moves."""


def bot_name(text: str, position: FilePosition, column: str) -> str:
    """Return a bot's name with single blanks; ArenaError for one that is no name.

    Files are named after bots, terminals and spreadsheets show them.
    """
    name = " ".join(text.split())
    if not name:
        raise position.mistake(column, "is empty; a bot needs a name")
    if len(name) > LONGEST_NAME:
        raise position.mistake(
            column, f"a name has at most {LONGEST_NAME} letters, and this one has {len(name):,}"
        )
    if not name.isprintable():
        raise position.mistake(column, f"{clean(name)}: a name has printable letters only")
    if "/" in name or "\\" in name or name.startswith("."):
        raise position.mistake(
            column, f"{clean(name)}: a name is no path: it has no slash and no dot before it"
        )
    if name.startswith(FORMULA):
        raise position.mistake(
            column, f"{clean(name)}: begins as a formula does; a name begins with a letter"
        )
    return name


def role_name(text: str, position: FilePosition, column: str) -> str:
    """Return the name of a role; ArenaError for one that is none."""
    if ROLE.fullmatch(text) is None:
        raise position.mistake(
            column, f"{clean(text)!r} is no role: it has up to 40 letters, digits, or any of _.-"
        )
    return text


def board_name(text: str, position: FilePosition, column: str) -> str:
    """Return the name of a game or a board; ArenaError for one that is none."""
    is_name = len(text) <= LONGEST_NAME and boards.NAME.fullmatch(text) is not None
    if not is_name or text.startswith((".", *FORMULA)):
        raise position.mistake(
            column,
            f"{clean(text)!r} is no name of a game or a board: it has letters, digits, or any of "
            "._,=()-",
        )
    return text


def short_text(text: str, position: FilePosition, column: str) -> str:
    """Return a text with single blanks.

    Raise ArenaError where it is too long, or a terminal would obey it.
    """
    words = " ".join(text.split())
    if len(words) > LONGEST_KEY or not words.isprintable() or words.startswith(FORMULA):
        raise position.mistake(
            column, f"{clean(words)!r} is no text of up to {LONGEST_KEY} printable letters"
        )
    return words


def moment(text: str, position: FilePosition, column: str) -> str:
    """Return a date as UTC time in ISO 8601; ArenaError for one that is none."""
    try:
        when = datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return when.astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise position.mistake(
            column, f"{clean(text)!r} is no date, such as 2026-05-31 or 2026-05-31T18:30"
        ) from error
