"""The bots of a workspace and their versions, as values: what plays, what played, what was refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from arena import roster
from arena.errors import ArenaError
from arena.match import Bot
from arena.submissions.shelf import Shelf, Version

LANGUAGES = {".py": "python", ".js": "javascript", ".sh": "bash", ".pl": "perl", ".rb": "ruby"}


class State(StrEnum):
    """Where a bot stands."""

    PLAYS = "plays"
    """Its newest version, or one that was submitted again."""
    BY_HAND = "by hand"
    """It plays, and was never submitted."""
    EDITED = "edited"
    """It plays, but not as it was submitted."""
    REPLACED = "replaced"
    """A version in whose place another plays."""
    WITHDRAWN = "withdrawn"
    REFUSED = "refused"
    BROKEN = "broken"
    """It stands among the bots, and is none: `arena run` refuses to begin."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One bot, or one version of it."""

    name: str
    state: State
    version: int | None = None
    digest: str | None = None
    author: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """What it plays; `()` = all."""
    submitted: str | None = None
    """When, in UTC."""
    words: str = ""
    """Why it was refused, or is no bot."""


def rows(shelf: Shelf) -> Iterator[Row]:
    """Every bot with each of its versions, the newest first; then what was refused."""
    for name in shelf.names():
        yield from _rows(shelf, name)
    for name, reason in shelf.refused():
        yield Row(name=name, state=State.REFUSED, words=" ".join(reason.split("\n\n", 1)[0].split()))


def of_tables(bots: tuple[Bot, ...]) -> Iterator[Row]:
    """The bots of `[[bot]]` tables, which have no versions."""
    for bot in bots:
        yield _row(bot, State.BY_HAND)


def _rows(shelf: Shelf, name: str) -> Iterator[Row]:
    versions = shelf.versions(name)
    plays: set[str] = set()
    for path in shelf.playing(name):
        try:
            bot = roster.from_path(path, name)
        except ArenaError as error:
            yield Row(name=name, state=State.BROKEN, words=str(error))
            continue
        plays.add(bot.digest)
        if bot.digest not in {one.digest for one in versions}:
            yield _row(bot, State.EDITED if versions else State.BY_HAND)
    gone = State.REPLACED if shelf.playing(name) else State.WITHDRAWN
    for one in reversed(versions):
        yield _row(roster.from_path(one.path, name), State.PLAYS if one.digest in plays else gone, one)


def _row(bot: Bot, state: State, version: Version | None = None) -> Row:
    said = roster.said_of(bot)
    return Row(
        name=bot.name,
        state=state,
        version=version.number if version else None,
        digest=bot.digest,
        author=said.author,
        language=said.language or LANGUAGES.get(Path(bot.files or "").suffix, ""),
        games=bot.games,
        submitted=version.submitted if version else None,
    )
