"""Statements about matches that somebody asked for: sentences, each with the reader it is for.

The process that plays the matches writes statements. The server knows who reads, and shows each
reader the sentences that are for them. A mistake is shown in its own words only if its type says
who may read them.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from arena import whole_files
from arena.errors import PRIVATE, ArenaError, BotError, PublicError

UNKNOWN = "it could not be played"
FOR_ORGANISER = "the organiser can read why"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A sentence for everybody, and perhaps a private one in its place."""

    public: str
    """It has names, figures and our own words, and nothing that a bot or its files said."""
    private: str = ""
    """The same with the reason; it may quote anything."""
    bot: str = ""
    """The bot whose author may read `private`; empty if only the organiser may."""

    def shown_to(self, bot_names: Collection[str]) -> str:
        """Return what the author of these bots may read."""
        if not self.private:
            return self.public
        if not self.bot:
            return f"{self.public}; {FOR_ORGANISER}"
        name, _, _ = self.bot.partition("@")  # no name has an @: a version of it follows
        if name in bot_names:
            return self.private
        return f"{self.public}: {PRIVATE}"

    @property
    def is_for_organiser(self) -> bool:
        """Whether its reason is for the organiser, and for no author."""
        return bool(self.private) and not self.bot


def of_error(error: ArenaError) -> Statement:
    """Return the statement about a mistake by which nothing was played."""
    text = str(error)
    if isinstance(error, BotError):
        public = error.public or UNKNOWN
        return Statement(public=public, private=text, bot=error.bot)
    if isinstance(error, PublicError):
        return Statement(public=text)
    return Statement(public=UNKNOWN, private=text)


def write(file: Path, request: str, statements: Iterable[Statement]) -> None:
    """Store the statements about a request, in place of those about an earlier one."""
    rows = [asdict(statement) for statement in statements]
    content = json.dumps({"request": request, "statements": rows})
    whole_files.write(file, content.encode(), whole_files.PRIVATE)


def read(file: Path, request: str) -> tuple[Statement, ...]:
    """Return the statements about a request; `()` if its process ended before it wrote any."""
    try:
        content = json.loads(file.read_bytes())
    except FileNotFoundError:
        return ()
    if content["request"] != request:
        return ()
    return tuple(Statement(**values) for values in content["statements"])
