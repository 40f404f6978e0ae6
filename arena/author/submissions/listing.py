"""The bots of a workspace as rows: those that play, older versions, refused submissions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from arena.author.submissions.bot_store import BotStore, Version, first_line
from arena.author.submissions.people import People
from arena.author.submissions.students import shown_name
from arena.errors import ArenaError
from arena.event import discovery
from arena.values import Bot

LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".sh": "bash",
    ".pl": "perl",
    ".rb": "ruby",
    ".java": "java",
    ".c": "c",
    ".cpp": "c++",
    ".cc": "c++",
    ".cxx": "c++",
    ".rs": "rust",
    ".go": "go",
}


class BotState(StrEnum):
    """The state of a bot, or of one version of it."""

    PLAYS = "plays"
    """Its newest version, or one that was submitted again."""
    BY_HAND = "by hand"
    """It plays, and was never submitted."""
    EDITED = "edited"
    """It plays, but not as it was submitted."""
    REPLACED = "replaced"
    WITHDRAWN = "withdrawn"
    REFUSED = "refused"
    BROKEN = "broken"
    """It is among the bots and is not one: `arena run` refuses to begin."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One bot, or one version of it."""

    name: str
    state: BotState
    version: int | None = None
    digest: str | None = None
    display: str = ""
    """The name to show; empty = `name`."""
    author: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """The games that it plays; `()` = all."""
    submitted: str | None = None
    """Time in UTC."""
    words: str = ""
    """The reason why it was refused, or is no bot."""


def rows(store: BotStore, people: People) -> Iterator[Row]:
    """Yield every bot with each of its versions, the newest first; then the refused submissions.

    Authors have the names that `people` gives them now.
    """
    for name in store.names():
        yield from _rows(store, name, people)
    for refusal in store.refused():
        yield Row(
            name=refusal.name,
            state=BotState.REFUSED,
            words=first_line(refusal.reason),
            display=shown_name(refusal.note, people),
        )


def newest(rows: Iterable[Row]) -> list[Row]:
    """Return the rows without older versions.

    A replaced or withdrawn version stays if no other row of its bot is newer.
    """
    past = {BotState.REPLACED, BotState.WITHDRAWN}
    names: set[str] = set()
    newest_rows: list[Row] = []
    for row in rows:  # those of a bot stand with the newest first
        if row.state not in past or row.name not in names:
            newest_rows.append(row)
        if row.state != BotState.REFUSED:
            names.add(row.name)
    return newest_rows


def _rows(store: BotStore, name: str, people: People) -> Iterator[Row]:
    versions = store.versions(name)
    submitted = {version.digest for version in versions}
    playing: set[str] = set()
    """The digests of what plays."""
    for path in store.playing(name):
        try:
            bot = discovery.from_path(path, name)
        except ArenaError as error:
            yield Row(name=name, state=BotState.BROKEN, words=str(error))
            continue
        playing.add(bot.digest)
        if bot.digest in submitted:
            continue
        state = BotState.BY_HAND
        if versions:
            state = BotState.EDITED
        yield row_of(bot, state)

    for folder in store.damaged(name):
        reason = (
            f"{folder} is damaged, and is no version any more: submit that bot again, and move the "
            "folder away"
        )
        yield Row(name=name, state=BotState.BROKEN, words=reason)

    past = BotState.WITHDRAWN
    if store.playing(name):
        past = BotState.REPLACED
    for version in reversed(versions):
        try:
            bot = discovery.from_path(version.path, name)
        except ArenaError as error:  # a power cut emptied it; to submit the bot again restores it
            yield Row(
                name=name,
                state=BotState.BROKEN,
                version=version.number,
                words=str(error),
            )
            continue
        state = past
        if version.digest in playing:
            state = BotState.PLAYS
        yield row_of(bot, state, version, shown_name(version.note, people))


def row_of(
    bot: Bot,
    state: BotState,
    version: Version | None = None,
    display: str = "",
) -> Row:
    """Return the row of a bot; `display` is the name of its author.

    A bot of a `[[bot]]` table has no versions.
    """
    settings = discovery.settings_of(bot)
    author = settings.author
    number = None
    submitted = None
    if version is not None:
        number = version.number
        submitted = version.note.submitted
        if not author and version.note.person:
            author = display

    program = Path(bot.files or "")
    if program.is_dir() and not (program / "bot.toml").exists():
        program = Path(bot.command[-1])
    language = settings.language or LANGUAGES.get(program.suffix, "")
    return Row(
        name=bot.name,
        state=state,
        version=number,
        digest=bot.digest,
        display=display or bot.display,
        author=author,
        language=language,
        games=bot.games,
        submitted=submitted,
    )
